"""Batches of ours through the readers of two other clients, and batches of theirs through ours."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from aiokafka.record.default_records import DefaultRecordBatch as AioBatch
from aiokafka.record.default_records import DefaultRecordBatchBuilder as AioBuilder
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.record.default_records import DefaultRecordBatch as PythonBatch
from kafka.record.default_records import DefaultRecordBatchBuilder as PythonBuilder

from barnabas.records.batches.batch import stamp
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.arrow import to_arrow
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.encoding import EncodeOptions, Partitioner, encode_arrow
from barnabas.records.columns.reading import decode_records

Headers = tuple[tuple[str, bytes | None], ...]
Row = tuple[int, bytes | None, bytes | None, Headers]
Writer = Callable[[list[Row], Codec], bytes]
Reader = Callable[[bytes], list[Row]]

PAIRS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))

CHUNKS = st.none() | st.binary(max_size=70) | st.builds(bytes, st.integers(0, 40_000))
HEADERS = st.lists(st.tuples(st.text(max_size=9), CHUNKS), max_size=3).map(tuple)
# within what all of them take: kafka-python has no negative timestamps
TIMESTAMPS = st.integers(0, 2**47) | st.integers(1_700_000_000_000, 1_700_000_009_000)
ROWS = st.lists(st.tuples(TIMESTAMPS, CHUNKS, CHUNKS, HEADERS), min_size=1, max_size=8)

pytestmark = pytest.mark.kernels


def by_our_builder(rows: list[Row], codec: Codec) -> bytes:
    builder = BatchBuilder(codec, 1 << 30)
    for row in rows:
        assert builder.append(*row)
    return bytes(builder.build(7, 1, 20))


def by_our_columns(rows: list[Row], codec: Codec) -> bytes:
    columns: dict[str, pa.Array[Any]] = {
        "timestamp": pa.array([row[0] for row in rows], pa.int64()),
        "key": pa.array([row[1] for row in rows], pa.binary()),
        "value": pa.array([row[2] for row in rows], pa.binary()),
        "headers": pa.array([[{"key": k, "value": v} for k, v in row[3]] for row in rows], PAIRS),
    }
    options = EncodeOptions(codec=codec, batch_bytes=1 << 30)
    encoded = encode_arrow(columns, partitioner=Partitioner(1), options=options, now_ms=0)
    return b"".join(bytes(each.batch) for each in encoded)


def by_peer(builder: Any) -> Writer:
    def write(rows: list[Row], codec: Codec) -> bytes:
        batch = builder(2, int(codec), 0, 7, 1, 20, 1 << 30)
        for index, (timestamp, key, value, headers) in enumerate(rows):
            batch.append(index, timestamp, key, value, list(headers))
        return bytes(batch.build())

    return write


def as_our_objects(batch: bytes) -> list[Row]:
    found, following = decode_records(batch, "t", 0)
    assert [record.offset for record in found] == list(range(following))
    return [(each.timestamp, each.key, each.value, each.headers) for each in found]


def as_our_columns(batch: bytes) -> list[Row]:
    table = pa.table(to_arrow(decode_columns([batch], wanted=ColumnSelection.ALL, start=0)))
    table.validate(full=True)
    # as numbers: these timestamps go beyond the years of datetime
    in_us = table["timestamp"].cast(pa.int64())
    made: dict[str, Any] = table.set_column(3, "timestamp", in_us).to_pydict()
    assert made["offset"] == list(range(len(table)))
    headers = [tuple((pair["key"], pair["value"]) for pair in row) for row in made["headers"]]
    timestamps = [us // 1000 for us in made["timestamp"]]
    return list(zip(timestamps, made["key"], made["value"], headers, strict=True))


def as_peer(reader: Any) -> Reader:
    def read(data: bytes) -> list[Row]:
        batch = reader(data)
        assert batch.validate_crc()
        return [(each.timestamp, each.key, each.value, tuple(each.headers)) for each in batch]

    return read


OUR_WRITERS: dict[str, Writer] = {"builder": by_our_builder, "columns": by_our_columns}
THEIR_WRITERS = {"kafka-python": by_peer(PythonBuilder), "aiokafka": by_peer(AioBuilder)}
OUR_READERS: dict[str, Reader] = {"objects": as_our_objects, "columns": as_our_columns}
THEIR_READERS = {"kafka-python": as_peer(PythonBatch), "aiokafka": as_peer(AioBatch)}


@pytest.mark.parametrize("reader", THEIR_READERS)
@pytest.mark.parametrize("writer", OUR_WRITERS)
@settings(deadline=None)  # first calls import codecs
@given(rows=ROWS, codec=st.sampled_from(Codec))
def test_they_read_what_we_write(writer: str, reader: str, rows: list[Row], codec: Codec) -> None:
    assert THEIR_READERS[reader](OUR_WRITERS[writer](rows, codec)) == rows


@pytest.mark.parametrize("reader", OUR_READERS)
@pytest.mark.parametrize("writer", THEIR_WRITERS)
@settings(deadline=None)  # first calls import codecs
@given(rows=ROWS, codec=st.sampled_from(Codec))
def test_we_read_what_they_write(writer: str, reader: str, rows: list[Row], codec: Codec) -> None:
    assert OUR_READERS[reader](THEIR_WRITERS[writer](rows, codec)) == rows


@settings(deadline=None)
@given(batches=st.lists(st.tuples(ROWS, st.sampled_from(Codec)), min_size=2, max_size=4))
def test_batches_of_all_writers_in_one_buffer(batches: list[tuple[list[Row], Codec]]) -> None:
    fetched = bytearray()
    rows: list[Row] = []
    writers = [*THEIR_WRITERS.values(), *OUR_WRITERS.values()]
    for (part, codec), write in zip(batches, writers, strict=False):
        batch = bytearray(write(part, codec))
        stamp(batch, len(batch), len(rows), 3)
        fetched += batch
        rows += part
    assert as_our_objects(bytes(fetched)) == rows
    assert as_our_columns(bytes(fetched)) == rows
