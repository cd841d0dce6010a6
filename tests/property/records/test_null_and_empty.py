"""A key or value that is null stays null and one that is empty stays empty, over many batches."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.kernels import implementation
from barnabas.kernels.batches import objects, objects_plain
from barnabas.records.batches.builder import build
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.columns import BytesColumn, ColumnSelection, decode_columns
from barnabas.records.columns.reading import decode_records

pytestmark = pytest.mark.kernels

Chunk = bytes | None
Row = tuple[Chunk, Chunk, tuple[tuple[str, Chunk], ...]]

CHUNK = st.sampled_from([None, b"", b"x"]) | st.none() | st.binary(max_size=150)
HEADERS = st.lists(st.tuples(st.sampled_from(["", "h"]), CHUNK), max_size=3).map(tuple)
ROWS = st.lists(st.tuples(CHUNK, CHUNK, HEADERS), min_size=1, max_size=40)


def filled(appender_class: Any, rows: list[Row], limit: int) -> list[bytearray]:
    """Built batches; a row that its batch refuses comes first in the next one."""
    appenders: list[Any] = []
    for key, value, headers in rows:
        if not appenders or appenders[-1].append(1, key, value, headers) is None:
            appenders.append(appender_class(limit))
            assert appenders[-1].append(1, key, value, headers) is not None
    return [build(appender, Codec.NONE, None) for appender in appenders]


def as_records(batches: list[bytearray]) -> list[Row]:
    return [
        (record.key, record.value, record.headers)
        for batch in batches
        for record in decode_records(batch, "t", 0)[0]
    ]


def items(column: BytesColumn) -> Iterator[Chunk]:
    for index in range(len(column.ends) - 1):
        bits = column.validity
        if bits is None or bits[index >> 3] >> (index & 7) & 1:
            yield bytes(column.data[column.ends[index] : column.ends[index + 1]])
        else:
            assert column.ends[index] == column.ends[index + 1]
            yield None


def as_columns(batch: bytearray) -> list[Row]:
    found = decode_columns([batch], wanted=ColumnSelection.ALL, start=0)
    assert found.key is not None
    assert found.value is not None
    assert found.headers is not None
    names = [(name or b"").decode() for name in items(found.headers.keys)]
    pairs = list(zip(names, items(found.headers.values), strict=True))
    ends = found.headers.ends
    headers = [tuple(pairs[ends[at] : ends[at + 1]]) for at in range(found.count)]
    return list(zip(items(found.key), items(found.value), headers, strict=True))


def check(rows: list[Row], limit: int) -> None:
    batches = filled(objects.RecordAppender, rows, limit)
    assert batches == filled(objects_plain.RecordAppender, rows, limit)
    assert as_records(batches) == rows
    assert [row for batch in batches for row in as_columns(batch)] == rows


@given(ROWS, st.integers(61, 2500))
def test_in_any_rows(rows: list[Row], limit: int) -> None:
    check(rows, limit)


@pytest.mark.skipif(implementation != "compiled", reason="there is no memory to go wrong with")
@pytest.mark.parametrize("limit", [300, 16_384, 1 << 20])
def test_with_memory_used_before(limit: int) -> None:
    """Buffers that grow and are freed and used again: what an earlier batch left must not show."""
    chance = random.Random(limit)
    for _ in range(5):
        check([row(chance) for _ in range(1000)], limit)


def row(chance: random.Random) -> Row:
    headers = tuple(("h" * chance.randrange(3), chunk(chance)) for _ in range(chance.randrange(3)))
    return chunk(chance), chunk(chance), headers


def chunk(chance: random.Random) -> Chunk:
    size = chance.choice([None, 0, 0, 1, 63, 64, 65, 200])
    return None if size is None else b"\x01" * size
