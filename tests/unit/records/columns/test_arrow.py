import datetime as dt

import pyarrow as pa
import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from barnabas.records.batches.batch import read_header, stamp, stamp_append_time
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.arrow import int_scalar, text_scalar, to_arrow
from barnabas.records.columns.columns import ColumnSelection, decode_columns

pytestmark = pytest.mark.kernels


def batch(base: int, headers: list[tuple[str, bytes | None]]) -> bytearray:
    builder = DefaultRecordBatchBuilder(2, 0, 0, -1, -1, -1, 1 << 20)
    builder.append(0, 1_700_000_000_123, b"k", b"v", headers)
    builder.append(1, -1, None, None, [])
    buffer = bytearray(builder.build())
    stamp(buffer, len(buffer), base, 0)
    return buffer


def test_columns_are_those_of_sparks_source() -> None:
    later = batch(2, [])
    stamp_append_time(later, read_header(later), 5)
    fetched = batch(0, [("a", b"1"), ("ä", None)]) + later
    arrays = to_arrow(decode_columns([fetched], wanted=ColumnSelection.ALL, start=0))
    table = pa.table(arrays)
    table.validate(full=True)
    pairs = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    assert {field.name: field.type for field in table.schema} == {
        "key": pa.binary(),
        "value": pa.binary(),
        "offset": pa.int64(),
        "timestamp": pa.timestamp("us", "UTC"),
        "timestampType": pa.int32(),
        "headers": pairs,
    }
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    assert table.to_pydict() == {
        "key": [b"k", None, b"k", None],
        "value": [b"v", None, b"v", None],
        "offset": [0, 1, 2, 3],
        "timestamp": [
            dt.datetime(2023, 11, 14, 22, 13, 20, 123000, tzinfo=dt.UTC),
            epoch - dt.timedelta(milliseconds=1),
            epoch + dt.timedelta(milliseconds=5),
            epoch + dt.timedelta(milliseconds=5),
        ],
        "timestampType": [0, 0, 1, 1],
        "headers": [[{"key": "a", "value": b"1"}, {"key": "ä", "value": None}], [], [], []],
    }


def test_only_what_was_decoded_is_there() -> None:
    arrays = to_arrow(
        decode_columns(
            [batch(0, [])], wanted=ColumnSelection.VALUE | ColumnSelection.OFFSET, start=0
        )
    )
    assert list(arrays) == ["value", "offset"]


def test_no_records_are_arrays_of_nothing() -> None:
    arrays = to_arrow(decode_columns([], wanted=ColumnSelection.ALL, start=0))
    assert pa.table(arrays).num_rows == 0
    pa.table(arrays).validate(full=True)


def test_arrays_live_without_the_fetched_buffer() -> None:
    buffer = batch(0, [("a", b"1")])
    arrays = to_arrow(decode_columns([buffer], wanted=ColumnSelection.ALL, start=0))
    buffer[:] = bytes(len(buffer))
    assert arrays["value"].to_pylist() == [b"v", None]
    assert arrays["headers"].to_pylist()[0] == [{"key": "a", "value": b"1"}]


def test_in_a_header_key_what_is_no_text_is_replaced() -> None:
    buffer = batch(0, [("abc", b"1")])
    at = buffer.index(b"abc")
    buffer[at] = 0xFF
    columns = decode_columns([buffer], wanted=ColumnSelection.ALL, start=0, check_crcs=False)
    arrays = to_arrow(columns)
    pa.table(arrays).validate(full=True)
    assert arrays["headers"].to_pylist()[0] == [{"key": "\ufffdbc", "value": b"1"}]


def test_a_time_beyond_microseconds_is_null() -> None:
    most = (2**63 - 1) // 1000
    times = [most, most + 1, -most, 1_700_000_000_000_000_000]
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    for time in times:
        builder.append(time, None, b"v", ())
    columns = decode_columns([builder.build()], wanted=ColumnSelection.TIMESTAMP, start=0)
    found = to_arrow(columns)["timestamp"].cast(pa.int64()).to_pylist()
    assert found == [most * 1000, None, -most * 1000, None]


@pytest.mark.parametrize("text", ["dogs", "", "hündchen"])
def test_scalars_are_those_of_pyarrow(text: str) -> None:
    assert text_scalar(text).equals(pa.scalar(text, pa.string()))
    assert int_scalar(len(text) - 1).equals(pa.scalar(len(text) - 1, pa.int32()))
