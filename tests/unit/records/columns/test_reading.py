import pickle

import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from barnabas.errors import CorruptRecord
from barnabas.records.batches.batch import read_header, stamp, stamp_append_time
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.records.columns.record import Record

pytestmark = pytest.mark.kernels


def batch(base: int, count: int = 3, codec: int = 0) -> bytearray:
    builder = DefaultRecordBatchBuilder(2, codec, 0, -1, -1, -1, 1 << 20)
    for index in range(count):
        headers = [("ä", b"1"), ("b", None)] if index else []
        builder.append(index, 1000 - index, b"k" if index else None, b"v" * index, headers)
    buffer = bytearray(builder.build())
    stamp(buffer, len(buffer), base, 1)
    return buffer


def record(offset: int, index: int) -> Record:
    headers = (("ä", b"1"), ("b", None)) if index else ()
    key = b"k" if index else None
    return Record("t", 5, offset, 1000 - index, 0, key, b"v" * index, headers)


@pytest.mark.parametrize("codec", range(5))
def test_records_are_what_was_written(codec: int) -> None:
    found, after = decode_records(batch(0, codec=codec) + batch(9, 2), "t", 5)
    assert found == [record(0, 0), record(1, 1), record(2, 2), record(9, 0), record(10, 1)]
    assert after == 11


def test_records_before_the_start_are_left_out() -> None:
    found, after = decode_records(batch(7), "t", 5, start=9)
    assert (found, after) == ([record(9, 2)], 10)


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_a_limit_leaves_the_rest_for_the_next_time(limit: int) -> None:
    fetched = bytes(batch(0) + batch(3))
    first, after = decode_records(fetched, "t", 5, limit=limit)
    rest, end = decode_records(fetched, "t", 5, start=after)
    assert (len(first), after) == (limit, limit)
    assert first + rest == decode_records(fetched, "t", 5)[0]
    assert end == 6


def test_append_time_is_reported() -> None:
    buffer = batch(0)
    stamp_append_time(buffer, read_header(buffer), 4242)
    found = decode_records(buffer, "t", 5)[0]
    assert {(each.timestamp, each.timestamp_type) for each in found} == {(4242, 1)}


def test_a_record_is_a_value() -> None:
    one = record(3, 1)
    assert pickle.loads(pickle.dumps(one)) == one
    assert hash(record(3, 1)) == hash(one)
    assert one != record(4, 1)
    assert "t-5 at 3" in repr(one)
    with pytest.raises(AttributeError):
        one.offset = 4


def test_in_a_header_name_what_is_no_text_is_replaced() -> None:
    """As in Java: a producer of such names does not stop the readers of a topic."""
    buffer = batch(0)
    before, _ = decode_records(buffer, "t", 5, check_crcs=False)
    buffer[buffer.index("ä".encode())] = 0xFF
    found, next_offset = decode_records(buffer, "t", 5, check_crcs=False)
    assert next_offset == found[-1].offset + 1
    changed = [
        tuple((name.replace("ä", "\ufffd\ufffd", 1), value) for name, value in each.headers)
        for each in before
    ]
    assert [each.headers for each in found][:1] == changed[:1]
    assert [each.value for each in found] == [each.value for each in before]


def test_a_length_that_lies_is_corrupt() -> None:
    buffer = batch(4)
    buffer[61] = 0x7F
    with pytest.raises(CorruptRecord, match="offset 4, record 0"):
        decode_records(buffer, "t", 5, check_crcs=False)


def test_what_a_builder_makes_is_read_back() -> None:
    builder = BatchBuilder(Codec.ZSTD, 1 << 20)
    builder.append(-5, None, None)
    builder.append(2**62, b"", bytearray(b"v"), [("h", memoryview(b"x")), ("", None)])
    found, after = decode_records(builder.build(), "t", 0)
    assert found == [
        Record("t", 0, 0, -5),
        Record("t", 0, 1, 2**62, 0, b"", b"v", (("h", b"x"), ("", None))),
    ]
    assert after == 2
