"""Regions: runs of batches in fetched buffers, prepared for a scan.

This module selects the batches to read: whole ones with a right CRC, of no aborted transaction, with
records rather than markers. It decompresses them if necessary, and reads no records. Messages of magic 0
and 1 may lie between the batches.
"""

from array import array
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, NoReturn

from barnabas.errors import CorruptRecord
from barnabas.kernels import layout
from barnabas.kernels.batches import batch_rows
from barnabas.records.batches.batch import (
    CODEC_MASK,
    CONTROL,
    CRC_FROM,
    LOG_APPEND_TIME,
    MAGIC_AT,
    TRANSACTIONAL,
    end_of_batches,
)
from barnabas.records.batches.control import read_marker
from barnabas.records.buffers import allocator
from barnabas.records.checksums import first_wrong
from barnabas.records.codecs.compression import decompress, decompress_into, stated_size
from barnabas.records.message_rows import (
    check_message_crcs,
    message_tables,
    open_message,
    packed_value,
)
from barnabas.types import Buffer

_WIDTH = layout.WIDTH
_BUFFER_BYTES_MAX = 2**31 - 1
_FIRST_RATIO = 8.0
_ARENA = 1 << 20
"""The size of buffers into which several batches are decompressed, in bytes."""
_FRESH = bytes(8 * layout.STATE)
_NO_TIME = -1
"""The type of timestamp of records that have none."""


class Region(NamedTuple):
    """Rows [first_row, end_row) of a batch table, whose records are in `data`, uncompressed.

    `messages`: the rows are messages of magic 0 or 1, which have other kernels.
    """

    data: Buffer
    table: "array[int]"
    first_row: int
    end_row: int
    messages: bool = False

    def fail(self, result: int, state: "array[int]") -> NoReturn:
        """Raise the error for a kernel's negative result."""
        offset = self.table[state[layout.AT_ROW] * _WIDTH + layout.BASE_OFFSET]
        raise CorruptRecord(
            f"batch at offset {offset}, record {state[layout.AT_RECORD]}: {layout.WORDS[result]}"
        )


_first_offset = itemgetter(1)


class Regions:
    """The input of one call of a reader: fill it with `add`, in order, then use `found`.

    `room` is how many records `found` has at most, `next_offset` what to fetch next; `counted` are
    records of batches that were only counted, `unpacked` the bytes that were decompressed.
    """

    def __init__(
        self, start: int, end: int, decompressed_bytes_max: int, *, nested: bool = False
    ) -> None:
        self.start = start
        self.end = end
        self.next_offset = start
        self.found: list[Region] = []
        self.room = 0
        self.counted = 0
        self.unpacked = 0
        self._limit = decompressed_bytes_max
        self._nested = nested
        self._ratio = _FIRST_RATIO
        self._arena = memoryview(bytearray())
        self._taken = 0
        self._aborting: set[int] = set()
        self._aborted_seen = 0
        self._several_times = False

    def add(
        self, buffer: Buffer, *, check_crcs: bool, aborted: Sequence[tuple[int, int]], count: bool
    ) -> None:
        """Take the batches of a buffer.

        Raises:
            CorruptRecord: as `decode_columns`.
        """
        if len(buffer) > _BUFFER_BYTES_MAX:
            raise CorruptRecord(f"a buffer of {len(buffer)} bytes; up to 2 GiB can be read at once")
        # Brokers list them in the order of their markers, and once more with the next part.
        aborted = sorted(aborted, key=_first_offset)
        rows = batch_rows.count(buffer)
        if rows == layout.BAD_MAGIC:
            self._add_mixed(memoryview(buffer), aborted, check_crcs=check_crcs, count=count)
        elif rows < 0:
            raise CorruptRecord(layout.WORDS[rows])
        elif rows:
            self._add_batches(buffer, rows, aborted, check_crcs=check_crcs, count=count)

    def _add_mixed(
        self,
        view: memoryview,
        aborted: Sequence[tuple[int, int]],
        *,
        check_crcs: bool,
        count: bool,
    ) -> None:
        """Take batches and messages, as they come."""
        position = 0
        while len(view) - position > MAGIC_AT:
            if view[position + MAGIC_AT] < 2:
                end = self._add_messages(view, position, check_crcs=check_crcs, count=count)
                if end == position:
                    return
            else:
                end = end_of_batches(view, position)
                part = view[position:end]
                rows = batch_rows.count(part)
                if rows < 0:
                    raise CorruptRecord(layout.WORDS[rows])
                self._add_batches(part, rows, aborted, check_crcs=check_crcs, count=count)
            position = end

    def _add_batches(
        self,
        buffer: Buffer,
        rows: int,
        aborted: Sequence[tuple[int, int]],
        *,
        check_crcs: bool,
        count: bool,
    ) -> None:
        if not rows:
            return
        table = array("q", bytes(8 * _WIDTH * rows))
        state = array("q", _FRESH)
        seen = batch_rows.walk(buffer, table, state)
        if seen < 0:
            raise CorruptRecord(layout.WORDS[seen])
        if check_crcs and (wrong := first_wrong(buffer, table, CRC_FROM)) is not None:
            before, at = (wrong - 1) * _WIDTH, wrong * _WIDTH
            if not wrong or _next_offset(table, before) < self.end:
                offset = table[at + layout.BASE_OFFSET]
                raise CorruptRecord(f"batch at offset {offset}: its CRC is wrong")
            # Sound batches hold the whole range; a fetch also returns what lies behind it.
            rows = wrong
            del table[at:]
        self.next_offset = _next_offset(table, (rows - 1) * _WIDTH)
        self._several_times = self._several_times or bool(seen & LOG_APPEND_TIME)
        special = CODEC_MASK | CONTROL | (TRANSACTIONAL if aborted else 0)
        if not seen & special and not count:
            self.room += state[layout.RECORDS]
            self.found.append(Region(buffer, table, 0, rows))
            return
        for row in self._chosen(buffer, table, aborted):
            at = row * _WIDTH
            offset = table[at + layout.BASE_OFFSET]
            if count and offset >= self.start and offset + table[at + layout.LAST_DELTA] < self.end:
                self.counted += table[at + layout.COUNT]
            elif table[at + layout.ATTRIBUTES] & CODEC_MASK:
                self._take(Region(self._decompressed(buffer, table, at), table, row, row + 1))
            else:
                self._take(Region(buffer, table, row, row + 1))

    def _add_messages(
        self, view: memoryview, position: int, *, check_crcs: bool, count: bool
    ) -> int:
        """Take messages from `position` on; returns where they end."""
        self._several_times = True
        start = position
        for found in message_tables(view, start, len(view)):
            if check_crcs:
                check_message_crcs(view, position, found.end)
            position = found.end
            table = found.table
            for row in found.rows:
                at = row * _WIDTH
                first, delta = table[at + layout.BASE_OFFSET], table[at + layout.LAST_DELTA]
                self.next_offset = first + delta + 1
                if table[at + layout.ATTRIBUTES] & CODEC_MASK:
                    if first >= self.start:
                        self._add_compressed(view, table, at, check_crcs=check_crcs)
                elif count and first >= self.start and first + delta < self.end:
                    self.counted += table[at + layout.COUNT]
                else:
                    self._take(Region(view, table, row, row + 1, messages=True))
        return position

    def _add_compressed(
        self, view: memoryview, table: "array[int]", at: int, *, check_crcs: bool
    ) -> None:
        """Append the contents of a compressed message, in order, and those nested in it."""
        levels = [self._inside(view, table, at, check_crcs=check_crcs)]
        while levels:
            for region in levels[-1]:
                place = region.first_row * _WIDTH
                if region.table[place + layout.ATTRIBUTES] & CODEC_MASK:
                    levels.append(
                        self._inside(region.data, region.table, place, check_crcs=check_crcs)
                    )
                    break
                self._take(region)
            else:
                levels.pop()

    def _inside(
        self, view: Buffer, table: "array[int]", at: int, *, check_crcs: bool
    ) -> Iterator[Region]:
        """Each row in a compressed message."""
        packed = packed_value(view, table, at)
        data, start, end = self._unpacked(packed, table, at)
        if check_crcs:
            check_message_crcs(data, start, end)
        for found in open_message(data, start, end, table, at, nested=self._nested):
            for row in found.rows:
                yield Region(data, found.table, row, row + 1, messages=True)

    def timestamp_types(self, count: int) -> tuple[tuple[int, int], ...]:
        """Runs of (records, type), once the regions were scanned and have `count` records."""
        if not self._several_times:
            return ((count, 0),) if count else ()
        runs: list[tuple[int, int]] = []
        for region in self.found:
            rows = slice(region.first_row * _WIDTH, region.end_row * _WIDTH)
            table = region.table[rows]
            kept = table[layout.KEPT :: _WIDTH]
            for records, attributes in zip(kept, table[layout.ATTRIBUTES :: _WIDTH], strict=True):
                kind = int(bool(attributes & LOG_APPEND_TIME))
                if region.messages and not attributes & layout.HAS_TIMES:
                    kind = _NO_TIME
                runs.append((records, kind))
        merged: list[tuple[int, int]] = []
        for records, kind in runs:
            if merged and merged[-1][1] == kind:
                merged[-1] = (merged[-1][0] + records, kind)
            elif records:
                merged.append((records, kind))
        return tuple(merged)

    def _take(self, region: Region) -> None:
        """Take one row, with the rows before it where they lie in the same buffer."""
        self.room += region.table[region.first_row * _WIDTH + layout.COUNT]
        last = self.found[-1] if self.found else None
        follows = last and last.table is region.table and last.end_row == region.first_row
        if last and follows and last.data is region.data:
            self.found[-1] = last._replace(end_row=region.end_row)
        else:
            self.found.append(region)

    def _chosen(
        self, buffer: Buffer, table: "array[int]", aborted: Sequence[tuple[int, int]]
    ) -> Iterator[int]:
        """Rows of batches that have records to give: in range, no markers, not aborted.

        Source: Kafka's CompletedFetch.nextFetchedRecord; `aborted` goes by first offset.
        """
        for row in range(len(table) // _WIDTH):
            at = row * _WIDTH
            offset = table[at + layout.BASE_OFFSET]
            last_offset = offset + table[at + layout.LAST_DELTA]
            attributes = table[at + layout.ATTRIBUTES]
            producer = table[at + layout.PRODUCER_ID]
            while self._aborted_seen < len(aborted):
                if aborted[self._aborted_seen][1] > last_offset:
                    break
                self._aborting.add(aborted[self._aborted_seen][0])
                self._aborted_seen += 1
            if attributes & CONTROL:
                if producer in self._aborting and _aborts(buffer, table, at):
                    self._aborting.discard(producer)
            elif attributes & TRANSACTIONAL and producer in self._aborting:
                continue
            elif last_offset >= self.start and offset < self.end and table[at + layout.COUNT]:
                yield row

    def _decompressed(self, buffer: Buffer, table: "array[int]", at: int) -> Buffer:
        """The records of a compressed batch; its row then has their positions there."""
        packed = memoryview(buffer)[table[at + layout.START] : table[at + layout.END]]
        data, start, end = self._unpacked(packed, table, at)
        table[at + layout.START] = start
        table[at + layout.END] = end
        if table[at + layout.COUNT] > (end - start) // 7:
            raise CorruptRecord(layout.WORDS[layout.BAD_COUNT])
        return data

    def _unpacked(
        self, packed: Buffer, table: "array[int]", at: int
    ) -> tuple[memoryview, int, int]:
        """The content of a compressed batch or message: a buffer, and a position in it."""
        codec = table[at + layout.ATTRIBUTES] & CODEC_MASK
        limit = min(self._limit, _BUFFER_BYTES_MAX)
        try:
            size = min(limit, stated_size(codec, packed) or int(self._ratio * len(packed)))
            if size > len(self._arena) - self._taken:
                # Often there is only one batch; several share the arena.
                room = max(size, min(limit, _ARENA)) if self._arena else size
                self._arena, self._taken = allocator()(room), 0
            data, start = self._arena, self._taken
            end = start + decompress_into(codec, packed, data[start : start + size])
            if end < start:  # what it states is wrong, or it states nothing
                data, start = memoryview(decompress(codec, packed, limit, 4 * size)), 0
                end = len(data)
            else:
                self._taken = end
        except CorruptRecord as error:
            offset = table[at + layout.BASE_OFFSET]
            raise type(error)(f"batch at offset {offset}: {error}") from error
        self._limit -= end - start
        self.unpacked += end - start
        self._ratio = max(self._ratio, 1.1 * (end - start) / max(1, len(packed)))
        return data, start, end


def _next_offset(table: "array[int]", at: int) -> int:
    return table[at + layout.BASE_OFFSET] + table[at + layout.LAST_DELTA] + 1


def _aborts(buffer: Buffer, table: "array[int]", at: int) -> bool:
    """Whether a control batch aborts a transaction."""
    position = table[at + layout.POSITION]
    marker = read_marker(memoryview(buffer)[position : position + table[at + layout.SIZE]])
    return marker is not None and not marker.committed
