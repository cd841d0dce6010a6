"""From an offset to a region of a segment file.

Two ways: the newest batches are known one by one; for older ones the offset index says where to
begin and the headers from there on are read.
"""

from bisect import bisect_right
from typing import NamedTuple

from barnabas.log.outcomes import NOTHING, ReadInfo
from barnabas.log.recent_batches import RecentBatches
from barnabas.log.segment import Segment
from barnabas.log.segments import Segments
from barnabas.records.batch import HEADER_SIZE, BatchHeader, read_header
from barnabas.wire.send import FileSlice

_HINTS_KEPT = 64


class Wanted(NamedTuple):
    """What a reader asks for: from the batch that holds `offset` to the one that holds `end`."""

    offset: int
    end: int | None
    """None: all that is written."""


class ReadHints:
    """Where the next reads of catching-up consumers will start: offset to position."""

    __slots__ = ("_positions",)

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}

    def take(self, offset: int) -> int | None:
        """The position of the batch that starts with `offset`, if a read ended there."""
        return self._positions.get(offset)

    def put(self, offset: int, position: int) -> None:
        """Remember where a read ended."""
        self._positions.pop(offset, None)
        self._positions[offset] = position
        if len(self._positions) > _HINTS_KEPT:
            del self._positions[next(iter(self._positions))]

    def clear(self) -> None:
        """Forget all: the log was cut."""
        self._positions.clear()


def slice_of_recent(
    segment: Segment, recent: RecentBatches, found: int, max_bytes: int, *, min_one: bool
) -> ReadInfo:
    """From the recent batch number `found` up to the end of what is written."""
    positions = recent.positions
    position = positions[found]
    size = segment.written - position
    if size > max_bytes:
        # Something is left out, or there is one batch: cut at a boundary.
        boundary = bisect_right(positions, position + max_bytes) - 1
        if boundary > found:
            size = positions[boundary] - position
        elif not min_one:
            return NOTHING
        elif found + 1 < len(positions):
            size = min(positions[found + 1], segment.written) - position
    return ReadInfo(FileSlice(segment.file, position, size))


def slice_of_older(
    segments: Segments, hints: ReadHints, wanted: Wanted, max_bytes: int, *, min_one: bool
) -> ReadInfo:
    """From the batch that holds `wanted.offset`, up to the batch that holds `wanted.end`."""
    offset, end = wanted
    candidates = segments.from_offset(offset)
    for number, segment in enumerate(candidates):
        first = segment.find(offset, hints.take(offset))
        if first is None:
            # Nothing at or after the offset is left here (compaction): the next segment has it.
            continue
        if end is not None and first.base_offset >= end:
            return NOTHING
        if first.size > max_bytes and not min_one:
            return NOTHING
        limit = segment.written
        if end is not None and not _is_before(candidates, number, end):
            found = segment.find(end)
            limit = limit if found is None else found.position
        limit -= first.position
        size = min(limit, max(max_bytes, first.size))
        if size < limit:
            size = _cut_at_boundary(segment, hints, first, size)
        return ReadInfo(FileSlice(segment.file, first.position, size))
    return NOTHING


def _is_before(candidates: list[Segment], number: int, offset: int) -> bool:
    """Whether all of a segment is before `offset`."""
    return number + 1 < len(candidates) and candidates[number + 1].base_offset <= offset


def _cut_at_boundary(segment: Segment, hints: ReadHints, first: BatchHeader, size: int) -> int:
    """Shorten a region to whole batches if the index knows a boundary inside it."""
    boundary = segment.offsets.boundary_at(first.position + size)
    if boundary < first.end:
        return size
    header = read_header(segment.file.read(boundary, HEADER_SIZE))
    hints.put(header.base_offset, boundary)
    return boundary - first.position
