import struct
from itertools import pairwise

import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from barnabas.errors import CorruptRecord
from barnabas.records.batches.batch import read_header, stamp, stamp_append_time
from barnabas.records.checksums import crc32c
from barnabas.records.columns.columns import (
    BytesColumn,
    ColumnSelection,
    RecordColumns,
    decode_columns,
)

pytestmark = pytest.mark.kernels


def batch(
    base: int, count: int = 3, *, codec: int = 0, producer: int = -1, transactional: bool = False
) -> bytearray:
    builder = DefaultRecordBatchBuilder(2, codec, int(transactional), producer, 0, 0, 1 << 20)
    for index in range(count):
        offset = base + index
        key = None if offset % 3 == 0 else b"k%d" % offset
        value = None if offset % 4 == 0 else b"v%d" % offset * 9
        headers = [(f"h{n}", b"x" * n if n else None) for n in range(offset % 3)]
        builder.append(index, 1000 + offset, key, value, headers)
    buffer = bytearray(builder.build())
    stamp(buffer, len(buffer), base, 1)
    return buffer


def with_crc(buffer: bytearray) -> bytearray:
    struct.pack_into(">I", buffer, 17, crc32c(memoryview(buffer)[21:]))
    return buffer


def marker(base: int, producer: int, kind: int) -> bytearray:
    builder = DefaultRecordBatchBuilder(2, 0, 1, producer, 0, -1, 1 << 20)
    builder.append(0, 1000, struct.pack(">hh", 0, kind), bytes(6), [])
    buffer = bytearray(builder.build())
    buffer[22] |= 0x20
    stamp(buffer, len(buffer), base, 1)
    return with_crc(buffer)


def items(column: BytesColumn | None) -> list[bytes | None]:
    assert column is not None
    ends, bits = column.ends.tolist(), column.validity
    return [
        bytes(column.data[start:end]) if bits is None or bits[n >> 3] >> (n & 7) & 1 else None
        for n, (start, end) in enumerate(pairwise(ends))
    ]


def rows(columns: RecordColumns) -> list[tuple[object, ...]]:
    assert columns.offsets is not None
    assert columns.timestamps is not None
    assert columns.headers is not None
    pairs = list(zip(items(columns.headers.keys), items(columns.headers.values), strict=True))
    ends = columns.headers.ends.tolist()
    headers = [pairs[start:end] for start, end in pairwise(ends)]
    return list(
        zip(
            columns.offsets.tolist(),
            columns.timestamps.tolist(),
            items(columns.key),
            items(columns.value),
            headers,
            strict=True,
        )
    )


def expected(start: int, end: int) -> list[tuple[object, ...]]:
    return [
        (
            offset,
            1000 + offset,
            None if offset % 3 == 0 else b"k%d" % offset,
            None if offset % 4 == 0 else b"v%d" % offset * 9,
            [(b"h%d" % n, b"x" * n if n else None) for n in range(offset % 3)],
        )
        for offset in range(start, end)
    ]


@pytest.mark.parametrize("codec", range(5))
def test_all_columns_of_several_batches_and_buffers(codec: int) -> None:
    first = batch(0, 5, codec=codec) + batch(5, 1) + batch(6, 40, codec=codec)
    columns = decode_columns([first, bytes(batch(46))], wanted=ColumnSelection.ALL, start=0)
    assert rows(columns) == expected(0, 49)
    assert (columns.count, columns.next_offset) == (49, 49)
    assert columns.timestamp_types == ((49, 0),)


def test_records_outside_the_range_are_left_out() -> None:
    fetched = batch(10, 4) + batch(14, 4, codec=4) + batch(18, 4)
    columns = decode_columns([fetched], wanted=ColumnSelection.ALL, start=12, end=16)
    assert rows(columns) == expected(12, 16)
    assert columns.next_offset == 22


@pytest.mark.parametrize("codec", [0, 3])
@pytest.mark.parametrize(("start", "end"), [(0, 99), (3, 13), (5, 6), (12, 13), (20, 30)])
def test_counting_needs_no_column(codec: int, start: int, end: int) -> None:
    fetched = batch(0, 5, codec=codec) + batch(5, 5, codec=codec) + batch(10, 5, codec=codec)
    columns = decode_columns([fetched], wanted=ColumnSelection(0), start=start, end=end)
    assert columns.count == max(0, min(end, 15) - start)
    assert columns.offsets is None
    assert columns.key is None


def test_what_is_not_wanted_is_none() -> None:
    columns = decode_columns([batch(0)], wanted=ColumnSelection.VALUE, start=0)
    assert items(columns.value) == [row[3] for row in expected(0, 3)]
    assert (columns.key, columns.offsets, columns.headers) == (None, None, None)


def test_the_next_offset_is_that_behind_an_empty_batch() -> None:
    """Compaction leaves batches without records; a reader that stood still would loop forever."""
    empty = batch(5)[:61]
    struct.pack_into(">i", empty, 8, 49)
    struct.pack_into(">i", empty, 23, 9)
    struct.pack_into(">i", empty, 57, 0)
    columns = decode_columns([with_crc(empty)], wanted=ColumnSelection.ALL, start=5)
    assert (columns.count, columns.next_offset) == (0, 15)


def test_nothing_fetched_stays_where_it_was() -> None:
    cut = batch(7)[:-1]
    columns = decode_columns([b"", cut], wanted=ColumnSelection.ALL, start=7)
    assert (rows(columns), columns.next_offset) == ([], 7)


def test_markers_are_no_records_but_have_offsets() -> None:
    fetched = batch(0, 2, producer=9, transactional=True) + marker(2, 9, 1)
    columns = decode_columns([fetched], wanted=ColumnSelection.ALL, start=0)
    assert rows(columns) == expected(0, 2)
    assert columns.next_offset == 3


@pytest.mark.parametrize("codec", [0, 4])
def test_aborted_transactions_are_left_out(codec: int) -> None:
    fetched = (
        batch(0, 2, producer=8, transactional=True, codec=codec)
        + batch(2, 2, producer=9, transactional=True, codec=codec)
        + marker(4, 9, 0)
        + batch(5, 2, producer=9, transactional=True, codec=codec)
        + marker(7, 8, 1)
        + batch(8, 2, codec=codec)
    )
    columns = decode_columns([fetched], wanted=ColumnSelection.ALL, start=0, aborted=[(9, 2)])
    assert rows(columns) == expected(0, 2) + expected(5, 7) + expected(8, 10)


def test_aborted_transactions_may_come_in_any_order_and_twice() -> None:
    """Brokers list them in the order of their markers."""
    fetched = (
        batch(0, 2, producer=8, transactional=True)
        + batch(2, 2, producer=9, transactional=True)
        + marker(4, 9, 0)
        + marker(5, 8, 0)
        + batch(6, 2, producer=8, transactional=True)
        + marker(8, 8, 1)
    )
    for aborted in ([(9, 2), (8, 0)], [(9, 2), (8, 0), (8, 0)]):
        columns = decode_columns([fetched], wanted=ColumnSelection.ALL, start=0, aborted=aborted)
        assert rows(columns) == expected(6, 8)


def test_log_append_time_is_every_records_time() -> None:
    stamped = batch(3)
    stamp_append_time(stamped, read_header(stamped), 777)
    columns = decode_columns([batch(0) + stamped], wanted=ColumnSelection.TIMESTAMP, start=0)
    assert columns.timestamps is not None
    assert columns.timestamps.tolist() == [1000, 1001, 1002, 777, 777, 777]
    assert columns.timestamp_types == ((3, 0), (3, 1))


def test_deltas_are_relative_to_a_delete_horizon() -> None:
    buffer = batch(0)
    buffer[22] |= 0x40
    struct.pack_into(">q", buffer, 27, 5_000_000)
    columns = decode_columns([with_crc(buffer)], wanted=ColumnSelection.TIMESTAMP, start=0)
    assert columns.timestamps is not None
    assert columns.timestamps.tolist() == [5_000_000, 5_000_001, 5_000_002]


def test_a_wrong_crc_is_noticed_unless_it_is_not_checked() -> None:
    buffer = batch(0) + batch(3)
    buffer[len(batch(0)) + 61] ^= 0x40  # the length of a record
    with pytest.raises(CorruptRecord, match="offset 3: its CRC"):
        decode_columns([buffer], wanted=ColumnSelection.ALL, start=0)
    with pytest.raises(CorruptRecord, match="offset 3, record 0"):
        decode_columns([buffer], wanted=ColumnSelection.ALL, start=0, check_crcs=False)


def test_damage_behind_the_range_is_no_error_but_where_the_range_may_go_on_there() -> None:
    buffer = batch(0) + batch(3) + batch(6)
    buffer[len(batch(0) + batch(3)) + 61] ^= 0x40
    columns = decode_columns([buffer], wanted=ColumnSelection.ALL, start=0, end=6)
    assert rows(columns) == expected(0, 6)
    assert columns.next_offset == 6
    with pytest.raises(CorruptRecord, match="offset 6: its CRC"):
        decode_columns([buffer], wanted=ColumnSelection.ALL, start=0, end=7)
    struct.pack_into(">q", buffer, len(batch(0) + batch(3)), 900)  # No CRC covers the base offset.
    with pytest.raises(CorruptRecord, match="offset 900: its CRC"):
        decode_columns([buffer], wanted=ColumnSelection.ALL, start=0, end=7)


@pytest.mark.parametrize("codec", [0, 4])
@pytest.mark.parametrize("count", [2, 4, 1 << 30, -1])
def test_a_count_that_lies_is_corrupt(codec: int, count: int) -> None:
    buffer = batch(0, codec=codec)
    struct.pack_into(">i", buffer, 57, count)
    with pytest.raises(CorruptRecord):
        decode_columns([with_crc(buffer)], wanted=ColumnSelection.ALL, start=0)


@pytest.mark.parametrize("at", [8, 16])
def test_nonsense_between_batches_is_corrupt(at: int) -> None:
    buffer = batch(0) + batch(3)
    buffer[len(buffer) // 2 + at] = 0xFF
    with pytest.raises(CorruptRecord):
        decode_columns([buffer], wanted=ColumnSelection.ALL, start=0)
