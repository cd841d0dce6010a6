"""Conversions between the formats against a model: which fields a format keeps, and no more."""

from typing import NamedTuple

import pytest
from aiokafka.record.memory_records import MemoryRecords as AioRecords
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.record.memory_records import MemoryRecords as PythonRecords

from barnabas.records.batches.batch import read_header, stamp, stamp_append_time, walk
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.records.old_messages.convert import convert
from tests.message_sets import LOG_APPEND_TIME, message, wrapper

pytestmark = pytest.mark.kernels

CHUNKS = st.none() | st.binary(max_size=40)
HEADERS = st.lists(st.tuples(st.text(max_size=5), CHUNKS), max_size=2).map(tuple)
TIMES = st.integers(0, 2**47)
OLD_CODECS = [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4]


class Row(NamedTuple):
    """A record of the model."""

    offset: int
    timestamp: int
    kind: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()

    def within(self, magic: int) -> "Row":
        """What is left of it in a format."""
        if magic == 2:
            return self
        if magic == 1:
            return self._replace(headers=())
        return self._replace(headers=(), timestamp=-1, kind=-1)


class Part(NamedTuple):
    """A stretch of a log in one format, and what is in it."""

    magic: int
    codec: Codec
    data: bytes
    rows: list[Row]


def _old(magic: int, codec: Codec, append: int | None, rows: list[Row]) -> bytes:
    flags = LOG_APPEND_TIME if append is not None and magic else 0
    compressed = codec != Codec.NONE
    first = rows[0].offset if compressed and magic else 0
    messages = [
        message(
            row.offset - first,
            row.key,
            row.value,
            timestamp=row.timestamp if magic else None,
            attributes=0 if compressed else flags,
        )
        for row in rows
    ]
    if not compressed:
        return b"".join(messages)
    newest = max(row.timestamp for row in rows) if magic else None
    return wrapper(rows[-1].offset, messages, codec, timestamp=newest, attributes=flags)


def _modern(codec: Codec, append: int | None, rows: list[Row]) -> bytes:
    builder = BatchBuilder(codec, 1 << 20)
    for row in rows:
        builder.append(row.timestamp, row.key, row.value, row.headers)
    batch = builder.build(9, 0, 5)
    stamp(batch, len(batch), rows[0].offset, 3)
    if append is not None:
        stamp_append_time(batch, read_header(batch), append)
    return bytes(batch)


@st.composite
def parts(draw: st.DrawFn, codecs: list[Codec] = [*OLD_CODECS, Codec.ZSTD]) -> list[Part]:  # noqa: B006
    """A log: parts of any format behind each other, with gaps in offsets as Kafka leaves them."""
    offset = draw(st.integers(0, 9))
    made = []
    for _ in range(draw(st.integers(1, 4))):
        magic = draw(st.integers(0, 2))
        codec = draw(st.sampled_from(codecs if magic == 2 else OLD_CODECS))
        append = draw(st.none() | TIMES) if magic else None
        rows = []
        for _ in range(draw(st.integers(1, 4))):
            timestamp = draw(TIMES) if append is None else append
            kind = -1 if not magic else int(append is not None)
            row = Row(offset, timestamp if magic else -1, kind, draw(CHUNKS), draw(CHUNKS))
            rows.append(row._replace(headers=draw(HEADERS)) if magic == 2 else row)
            offset += 1 if magic == 2 else draw(st.integers(1, 3))
        write = _modern(codec, append, rows) if magic == 2 else _old(magic, codec, append, rows)
        made.append(Part(magic, codec, write, rows))
        offset += draw(st.integers(0, 2))
    return made


def rows_in(data: bytes | bytearray) -> list[Row]:
    found, _ = decode_records(data, "t", 0)
    return [Row(r.offset, r.timestamp, r.timestamp_type, r.key, r.value, r.headers) for r in found]


@given(parts(), st.integers(0, 2), st.integers(0, 12))
def test_to_a_reader_of_a_magic(log: list[Part], magic: int, start: int) -> None:
    log = [part for part in log if part.codec != Codec.ZSTD or magic == 2]
    data = b"".join(part.data for part in log)
    made, next_offset, *_ = convert(data, magic, start=start)
    rows = [row.within(magic) for part in log for row in part.rows if row.offset >= start]
    assert [row for row in rows_in(made) if row.offset >= start] == rows
    assert all(header.magic <= magic for header in walk(made))
    if rows:
        assert next_offset == rows[-1].offset + 1


@given(parts(codecs=OLD_CODECS), st.integers(0, 2), st.integers(0, 2))
def test_any_way_through_two_formats(log: list[Part], first: int, second: int) -> None:
    data = b"".join(part.data for part in log)
    once = convert(data, first, upwards=True).data
    assert {header.magic for header in walk(once)} == {first}
    twice = convert(once, second, upwards=True).data
    assert {header.magic for header in walk(twice)} == {second}
    lowest = [(row, min(part.magic, first, second)) for part in log for row in part.rows]
    expected = [row.within(magic) for row, magic in lowest]
    # What had no time has -1 where there are times.
    if second:
        expected = [row._replace(kind=max(row.kind, 0)) for row in expected]
    assert rows_in(twice) == expected


@given(parts(codecs=[Codec.NONE]), st.integers(0, 1))
def test_upwards_and_back_gives_the_same_bytes(log: list[Part], magic: int) -> None:
    data = b"".join(part.data for part in log if part.magic == magic and part.codec == Codec.NONE)
    there = convert(data, 2, upwards=True).data
    assert convert(there, magic).data == data


@given(parts(codecs=OLD_CODECS[:-1]), st.integers(0, 1))
@settings(max_examples=50)
def test_two_other_clients_read_the_same(log: list[Part], magic: int) -> None:
    log = [part for part in log if part.magic == 2]
    data = bytes(convert(b"".join(part.data for part in log), magic).data)
    for reader in (AioRecords, PythonRecords):
        records = reader(data)
        found = []
        while (batch := records.next_batch()) is not None:
            assert batch.validate_crc()
            found += [(each.offset, each.timestamp, each.key, each.value) for each in batch]
        expected = [row for part in log for row in part.rows]
        times = [row.timestamp if magic else None for row in expected]
        assert [row[1] for row in found] == times
        assert [(row[0], *row[2:]) for row in found] == [
            (row.offset, row.key, row.value) for row in expected
        ]
