"""RecordColumns: record sets decoded into arrays, a whole fetch response at once. The bulk path.

No Python object is made per record. Arrow is not needed, but where pyarrow is installed the buffers
come from its pool, which keeps pages that the system's allocator would give back (4 times faster at
values of 1 KiB).
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from functools import cache
from importlib.util import find_spec

from barnabas.kernels import gathering, layout, scanning
from barnabas.records.regions import Region, Regions
from barnabas.types import Buffer

LARGEST_OFFSET = 2**63 - 1
DECOMPRESSED_BYTES_MAX = 1 << 30
"""What one call may decompress in all."""

_NONE = memoryview(bytearray())
_NO_INTS = memoryview(array("i"))
_NO_LONGS = memoryview(array("q"))


class Wanted(Flag):
    """Which columns to make. `Wanted(0)` only counts, from the headers of batches where it can."""

    KEY = auto()
    VALUE = auto()
    OFFSET = auto()
    TIMESTAMP = auto()
    HEADERS = auto()
    ALL = KEY | VALUE | OFFSET | TIMESTAMP | HEADERS


@dataclass(frozen=True, slots=True)
class BytesColumn:
    """Strings of bytes one behind the other.

    `ends` is int32[n + 1], the first 0: item i is data[ends[i]:ends[i + 1]]. `validity` is one bit
    per item, least significant first, or None where no item is null.
    """

    ends: memoryview
    data: memoryview
    validity: memoryview | None
    nulls: int


@dataclass(frozen=True, slots=True)
class HeadersColumn:
    """Headers of records: record i has the headers ends[i] to ends[i + 1] of `keys` and `values`."""

    ends: memoryview
    keys: BytesColumn
    values: BytesColumn


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """`count` records; a column that was not wanted is None.

    `offsets` and `timestamps` are int64[count], timestamps in milliseconds. `timestamp_types` are
    runs of (records, 0 for CreateTime or 1 for LogAppendTime). `next_offset` is what to fetch next:
    behind the last batch, whatever that batch held.
    """

    count: int
    next_offset: int
    offsets: memoryview | None = None
    timestamps: memoryview | None = None
    timestamp_types: tuple[tuple[int, int], ...] = ()
    key: BytesColumn | None = None
    value: BytesColumn | None = None
    headers: HeadersColumn | None = None


def decode_columns(
    buffers: Sequence[Buffer],
    *,
    wanted: Wanted,
    start: int,
    end: int | None = None,
    check_crcs: bool = True,
    aborted: Sequence[tuple[int, int]] = (),
) -> RecordColumns:
    """Decode the records with start <= offset < end of a partition's fetched batches, in order.

    Args:
        buffers: whole batches, each buffer under 2 GiB; one that is cut off at the end of its buffer
            is left out. They must not change meanwhile: the GIL is released.
        wanted: the columns to make.
        start: offset of the first record wanted; also what `next_offset` is where nothing came.
        end: the offset behind the last record wanted; None for no bound.
        check_crcs: compare each batch with its CRC32C. Lengths are checked in any case.
        aborted: (producer id, first offset) of aborted transactions, as a read_committed fetch has
            them; their records are left out. Control batches always are.

    Raises:
        CorruptRecord: a batch is not what it says. Nothing is returned in part.
    """
    regions = Regions(start, LARGEST_OFFSET if end is None else end, DECOMPRESSED_BYTES_MAX)
    for buffer in buffers:
        regions.add(
            buffer, check_crcs=check_crcs and bool(wanted), aborted=aborted, count=not wanted
        )
    if not wanted and not regions.found:
        return RecordColumns(regions.counted, regions.next_offset)
    return _Decoding(regions, wanted).columns()


class _Decoding:
    """The buffers of one call, from `scan` to `gather`."""

    def __init__(self, regions: Regions, wanted: Wanted) -> None:
        room = regions.room
        self._regions = regions
        self._wanted = wanted
        self._allocate = _allocator()
        self._state = array("q", bytes(8 * layout.STATE))
        self._offsets = self._longs(room) if Wanted.OFFSET in wanted else _NO_LONGS
        self._timestamps = self._longs(room) if Wanted.TIMESTAMP in wanted else _NO_LONGS
        self._keys = self._ends(room) if Wanted.KEY in wanted else _NO_INTS
        self._values = self._ends(room) if Wanted.VALUE in wanted else _NO_INTS
        self._headers = self._ends(room) if Wanted.HEADERS in wanted else _NO_INTS
        self._key_bits = self._bits(room) if Wanted.KEY in wanted else _NONE
        self._value_bits = self._bits(room) if Wanted.VALUE in wanted else _NONE
        copies = wanted & (Wanted.KEY | Wanted.VALUE | Wanted.HEADERS)
        self._places = self._allocate(12 * room).cast("i") if copies and room else _NO_INTS

    def columns(self) -> RecordColumns:
        """Scan all, then copy all."""
        spans = [self._scan(region) for region in self._regions.found]
        state, wanted = self._state, self._wanted
        count = state[layout.RECORDS]
        return RecordColumns(
            count + self._regions.counted,
            self._regions.next_offset,
            self._offsets[:count] if Wanted.OFFSET in wanted else None,
            self._timestamps[:count] if Wanted.TIMESTAMP in wanted else None,
            self._regions.timestamp_types(),
            self._column(0, spans, count) if Wanted.KEY in wanted else None,
            self._column(1, spans, count) if Wanted.VALUE in wanted else None,
            self._headers_column(spans, count) if Wanted.HEADERS in wanted else None,
        )

    def _scan(self, region: Region) -> tuple[Region, int, int]:
        """A region with the first of its records in the columns, and the one behind its last."""
        state = self._state
        first = state[layout.RECORDS]
        result = scanning.scan(
            region.data,
            region.table,
            region.first_row,
            region.end_row,
            self._regions.start,
            self._regions.end,
            self._offsets,
            self._timestamps,
            self._keys,
            self._key_bits,
            self._values,
            self._value_bits,
            self._headers,
            self._places,
            state,
        )
        if result < 0:
            region.fail(result, state)
        return region, first, state[layout.RECORDS]

    def _column(self, which: int, spans: list[tuple[Region, int, int]], count: int) -> BytesColumn:
        state = self._state
        ends, bits, size, nulls = (
            (self._keys, self._key_bits, state[layout.KEY_BYTES], state[layout.NULL_KEYS]),
            (self._values, self._value_bits, state[layout.VALUE_BYTES], state[layout.NULL_VALUES]),
        )[which]
        data = self._allocate(size)
        for region, first, last in spans:
            result = gathering.gather(region.data, which, self._places, ends, first, last, data)
            if result < 0:
                region.fail(result, state)
        return BytesColumn(ends[: count + 1], data, bits if nulls else None, nulls)

    def _headers_column(self, spans: list[tuple[Region, int, int]], count: int) -> HeadersColumn:
        state = self._state
        headers = state[layout.HEADERS]
        key_ends, value_ends = self._ends(headers), self._ends(headers)
        bits = self._bits(headers)
        keys = self._allocate(state[layout.HEADER_KEY_BYTES])
        values = self._allocate(state[layout.HEADER_VALUE_BYTES])
        written = array("q", bytes(8 * layout.STATE))
        for region, first, last in spans if headers else ():
            result = gathering.gather_headers(
                region.data,
                self._places,
                self._headers,
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
        nulls = state[layout.NULL_HEADER_VALUES]
        return HeadersColumn(
            self._headers[: count + 1],
            BytesColumn(key_ends, keys, None, 0),
            BytesColumn(value_ends, values, bits if nulls else None, nulls),
        )

    def _longs(self, count: int) -> memoryview:
        return self._allocate(8 * count).cast("q") if count else _NO_LONGS

    def _ends(self, count: int) -> memoryview:
        ends = self._allocate(4 * count + 4).cast("i")
        ends[0] = 0
        return ends

    def _bits(self, count: int) -> memoryview:
        return self._allocate((count + 7) // 8)


Allocate = Callable[[int], memoryview]


@cache
def _allocator() -> Allocate:
    """Something that makes writable buffers, of bytes that may be anything."""
    if find_spec("pyarrow") is None:
        return _plain
    import pyarrow as pa

    def pooled(size: int) -> memoryview:
        return memoryview(pa.allocate_buffer(size)).cast("B")

    return pooled


def _plain(size: int) -> memoryview:
    return memoryview(bytearray(size))
