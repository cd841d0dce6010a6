"""RecordColumns: record sets decoded into arrays, a whole fetch response at once. The bulk path.

No Python object is made per record, and Arrow is not needed.
"""

from array import array
from collections.abc import Sequence
from enum import Flag, auto
from typing import NamedTuple

from barnabas.kernels import layout
from barnabas.kernels.columns import gathering, scanning
from barnabas.kernels.messages import message_scanning
from barnabas.records.buffers import allocator
from barnabas.records.codecs.compression import UnpackedTooLarge
from barnabas.records.columns.regions import Region, Regions
from barnabas.types import Buffer

LARGEST_OFFSET = 2**63 - 1
DECOMPRESSED_BYTES_MAX = 1 << 30
"""The total that one call may decompress, in bytes."""

_NO_INTS = memoryview(array("i"))
_NO_LONGS = memoryview(array("q"))


class ColumnSelection(Flag):
    """Which columns to make. `ColumnSelection(0)` only counts, from the headers of batches where it can."""

    KEY = auto()
    VALUE = auto()
    OFFSET = auto()
    TIMESTAMP = auto()
    HEADERS = auto()
    ALL = KEY | VALUE | OFFSET | TIMESTAMP | HEADERS


Wanted = ColumnSelection
"""Former name of `ColumnSelection`; removed in the next release."""


class BytesColumn(NamedTuple):
    """Concatenated byte strings.

    `ends` is int32[n + 1], the first 0: item i is data[ends[i]:ends[i + 1]]. `validity` is one bit
    per item, least significant first, or None if no item is null.
    """

    ends: memoryview
    data: memoryview
    validity: memoryview | None
    nulls: int


class HeadersColumn(NamedTuple):
    """Headers of records: record i has those from ends[i] to ends[i + 1] of `keys` and `values`."""

    ends: memoryview
    keys: BytesColumn
    values: BytesColumn


class RecordColumns(NamedTuple):
    """`count` records; a column that was not wanted is None.

    `offsets` and `timestamps` are int64[count], timestamps in milliseconds. `timestamp_types` are
    runs of (records, type): 0 for CreateTime, 1 for LogAppendTime, -1 for none (magic 0).
    `next_offset` is what to fetch next: after the last batch, whatever that batch held. `unpacked`
    are the bytes that were decompressed.
    """

    count: int  # type: ignore[assignment]  # hides tuple.count
    next_offset: int
    offsets: memoryview | None = None
    timestamps: memoryview | None = None
    timestamp_types: tuple[tuple[int, int], ...] = ()
    key: BytesColumn | None = None
    value: BytesColumn | None = None
    headers: HeadersColumn | None = None
    unpacked: int = 0


def decode_columns(  # noqa: PLR0913 - all but one by name
    buffers: Sequence[Buffer],
    *,
    wanted: ColumnSelection,
    start: int,
    end: int | None = None,
    check_crcs: bool = True,
    aborted: Sequence[tuple[int, int]] = (),
    limit: int = DECOMPRESSED_BYTES_MAX,
    nested: bool = False,
    most_records: int | None = None,
) -> RecordColumns:
    """Decode the records with start <= offset < end of a partition's fetched batches, in order.

    Args:
        buffers: whole batches, or messages of magic 0 and 1, each buffer under 2 GiB; a truncated
            one at the end of its buffer is skipped. They must not change meanwhile: the GIL is
            released.
        wanted: the columns to decode.
        start: offset of the first record; also the value of `next_offset` without any records.
        end: the offset after the last record; None for no bound.
        check_crcs: verify the CRC32C of each batch. Lengths are always checked.
        aborted: (producer id, first offset) of aborted transactions, from a read_committed fetch;
            their records are skipped, and so are control batches always.
        limit: the maximum number of bytes decompressed in total.
        nested: a compressed message of magic 0 may hold others, as Kafka 0.8 allows.
        most_records: how many there may be; None for any number.

    Raises:
        UnpackedTooLarge: there is more than `limit` or `most_records`.
        CorruptRecord: a batch is damaged. No partial result is returned.
    """
    regions = Regions(start, LARGEST_OFFSET if end is None else end, limit, nested=nested)
    count = not wanted
    for buffer in buffers:
        regions.add(buffer, check_crcs=check_crcs and not count, aborted=aborted, count=count)
    if most_records is not None and regions.room > most_records:
        raise UnpackedTooLarge(f"{regions.room} records, at most {most_records} are read at once")
    if count and not regions.found:
        return RecordColumns(regions.counted, regions.next_offset)
    return _Decoding(regions, wanted).columns()


_KEY, _VALUE, _OFFSET = (
    ColumnSelection.KEY.value,
    ColumnSelection.VALUE.value,
    ColumnSelection.OFFSET.value,
)
_TIMESTAMP, _HEADERS = ColumnSelection.TIMESTAMP.value, ColumnSelection.HEADERS.value


class _Decoding:
    """The buffers of one call, from `scan` to `gather`.

    What has a fixed size for each record lies in one block: longs, then ints, then bits.
    """

    def __init__(self, regions: Regions, wanted: ColumnSelection) -> None:
        self._regions = regions
        self._wanted = chosen = wanted.value  # flags are slow
        self._allocate = allocator()
        self._state = state = array("q", _FRESH)
        room = regions.room
        longs = ints = bits = 0
        for column, at in _LONGS:
            if chosen & column:
                state[at] = longs
                longs += room
        for column, at in _INTS:
            if chosen & column:
                state[at] = ints
                ints += room + 1
        for column, at in _BITS:
            if chosen & column:
                state[at] = bits
                bits += (room + 7) // 8
        block = self._allocate(8 * longs + 4 * ints + bits)
        self._longs = block[: 8 * longs].cast("q") if longs else _NO_LONGS
        self._ints = block[8 * longs : 8 * longs + 4 * ints].cast("i") if ints else _NO_INTS
        self._bits = block[8 * longs + 4 * ints :]
        self._places = self._allocate(12 * room).cast("i") if ints and room else _NO_INTS
        for _, at in _INTS:
            if state[at] >= 0:
                self._ints[state[at]] = 0

    def columns(self) -> RecordColumns:
        """Scan all, then copy all."""
        spans = [self._scan(region) for region in self._regions.found]
        wanted = self._wanted
        count = self._state[layout.RECORDS]
        return RecordColumns(
            count + self._regions.counted,
            self._regions.next_offset,
            self._long_column(layout.OFFSETS_AT, count) if wanted & _OFFSET else None,
            self._long_column(layout.TIMESTAMPS_AT, count) if wanted & _TIMESTAMP else None,
            self._regions.timestamp_types(count),
            self._column(0, spans, count) if wanted & _KEY else None,
            self._column(1, spans, count) if wanted & _VALUE else None,
            self._headers_column(spans, count) if wanted & _HEADERS else None,
            self._regions.unpacked,
        )

    def _scan(self, region: Region) -> tuple[Region, int, int]:
        """A region with the first of its records in the columns, and the one after its last."""
        state = self._state
        first = state[layout.RECORDS]
        kernel = message_scanning if region.messages else scanning
        result = kernel.scan(
            region.data,
            region.table,
            region.first_row,
            region.end_row,
            self._regions.start,
            self._regions.end,
            self._longs,
            self._ints,
            self._bits,
            self._places,
            state,
        )
        if result < 0:
            region.fail(result, state)
        return region, first, state[layout.RECORDS]

    def _long_column(self, at: int, count: int) -> memoryview:
        start = self._state[at]
        return self._longs[start : start + count]

    def _column(self, which: int, spans: list[tuple[Region, int, int]], count: int) -> BytesColumn:
        state = self._state
        start, bits = state[layout.KEYS_AT + which], state[layout.KEY_BITS_AT + which]
        nulls = state[layout.NULL_KEYS + which]
        ends = self._ints[start : start + count + 1]
        data = self._allocate(state[layout.KEY_BYTES + which])
        for region, first, last in spans:
            result = gathering.gather(region.data, which, self._places, ends, first, last, data)
            if result < 0:
                region.fail(result, state)
        validity = self._bits[bits : bits + (count + 7) // 8] if nulls else None
        return BytesColumn(ends, data, validity, nulls)

    def _headers_column(self, spans: list[tuple[Region, int, int]], count: int) -> HeadersColumn:
        state = self._state
        start, headers = state[layout.HEADERS_AT], state[layout.HEADERS]
        ends = self._ints[start : start + count + 1]
        key_size, nulls = state[layout.HEADER_KEY_BYTES], state[layout.NULL_HEADER_VALUES]
        block = self._allocate(8 * headers + 8 + (headers + 7) // 8)
        both = block[: 8 * headers + 8].cast("i")
        both[0] = both[headers + 1] = 0
        key_ends, value_ends = both[: headers + 1], both[headers + 1 :]
        bits = block[8 * headers + 8 :]
        data = self._allocate(key_size + state[layout.HEADER_VALUE_BYTES])
        keys, values = data[:key_size], data[key_size:]
        written = array("q", _FRESH)
        for region, first, last in spans if headers else ():
            result = gathering.gather_headers(
                region.data,
                self._places,
                ends,
                first,
                last,
                key_ends,
                keys,
                value_ends,
                bits,
                values,
                written,
            )
            if result < 0:
                region.fail(result, state)
        return HeadersColumn(
            ends,
            BytesColumn(key_ends, keys, None, 0),
            BytesColumn(value_ends, values, bits if nulls else None, nulls),
        )


_LONGS = ((_OFFSET, layout.OFFSETS_AT), (_TIMESTAMP, layout.TIMESTAMPS_AT))
_INTS = (
    (_KEY, layout.KEYS_AT),
    (_VALUE, layout.VALUES_AT),
    (_HEADERS, layout.HEADERS_AT),
)
_BITS = ((_KEY, layout.KEY_BITS_AT), (_VALUE, layout.VALUE_BITS_AT))
_FRESH = array("q", bytes(8 * layout.STATE))
_FRESH[layout.OFFSETS_AT : layout.VALUE_BITS_AT + 1] = array("q", [-1] * 7)
