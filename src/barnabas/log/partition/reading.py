"""Find the region of a segment file for an offset.

Two ways: the newest batches are in memory; for older ones, the offset index gives a start, and
headers are read from there.
"""

import logging
from bisect import bisect_right

from barnabas.errors import ErrorCode, StorageError
from barnabas.log.append_results import NOTHING, ReadInfo
from barnabas.log.segments.recent_batches import RecentBatches
from barnabas.log.segments.scan import BatchPosition
from barnabas.log.segments.segment import Segment
from barnabas.log.segments.segments import Segments
from barnabas.types import new_tuple
from barnabas.wire.send import FileSlice

log = logging.getLogger(__name__)

_HINTS_KEPT = 64
_NONE = ErrorCode.NONE


class ReadHints:
    """Where the next reads of catching-up consumers will start: offset to segment and batch.

    What it knows stays true until the log is cut at either end.
    """

    __slots__ = ("_starts", "_torn")

    def __init__(self) -> None:
        self._starts: dict[int, tuple[Segment, BatchPosition]] = {}
        self._torn: set[int] = set()
        """Segments of which the log of the process says already that they are damaged."""

    def find(self, offset: int) -> tuple[Segment, BatchPosition] | None:
        """The batch that starts with `offset`, if an earlier read ended there."""
        return self._starts.get(offset)

    def torn(self, segment: Segment, start: int, size: int) -> StorageError:
        """What to raise for a batch of `size` bytes within which a segment ends; logged once."""
        error = StorageError(
            f"{segment.stem}.log is damaged: it ends at byte {segment.written}, within the batch at"
            f" byte {start}, which has {size} bytes. Put a whole copy of the file there and start again"
        )
        if segment.base_offset not in self._torn:
            self._torn.add(segment.base_offset)
            log.error("records cannot be read: %s", error)
        return error

    def put(self, segment: Segment, place: BatchPosition) -> None:
        """Remember where a read ended; the oldest of more than 64 goes."""
        starts = self._starts
        if place.base_offset in starts:
            return
        starts[place.base_offset] = segment, place
        if len(starts) > _HINTS_KEPT:
            del starts[next(iter(starts))]

    def clear(self) -> None:
        """Forget all: the log was cut."""
        self._starts.clear()


def slice_of_recent(
    segment: Segment, recent: RecentBatches, found: int, max_bytes: int, *, min_one: bool
) -> ReadInfo:
    """From the recent batch number `found` to the end of the file."""
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
    return new_tuple(ReadInfo, (FileSlice(segment.file, position, size), _NONE))


def slice_of_older(
    segments: Segments,
    hints: ReadHints,
    wanted: tuple[int, int | None],
    max_bytes: int,
    *,
    min_one: bool,
) -> ReadInfo:
    """From the batch that holds one offset up to the one that holds another (None: all written).

    Raises:
        StorageError: the segment ends within the first of them.
    """
    offset, end = wanted
    known = hints.find(offset)
    if known is None:
        known = _look_up(segments, offset)
        if known is None:
            return NOTHING
    segment, (start, least, base) = known
    if least > segment.written - start:
        raise hints.torn(segment, start, least)
    if (end is not None and base >= end) or (least > max_bytes and not min_one):
        return NOTHING
    limit = (segment.written if end is None else _position_of(segments, segment, end)) - start
    if not limit:
        return NOTHING  # The batch that contains one contains the other.
    size = max(max_bytes, least)
    if size >= limit:
        return new_tuple(ReadInfo, (FileSlice(segment.file, start, limit), _NONE))
    # Whole batches if the index knows a boundary: the reader continues there.
    boundary = segment.boundary_at(start + size)
    if boundary.position > start:
        hints.put(segment, boundary)
        size = boundary.position - start
    return new_tuple(ReadInfo, (FileSlice(segment.file, start, size), _NONE))


def _look_up(segments: Segments, offset: int) -> tuple[Segment, BatchPosition] | None:
    """The batch that holds `offset`, or the first after it where compaction left none."""
    for number in range(segments.number_of(offset), len(segments)):
        segment = segments[number]
        place = segment.find(offset)
        if place is not None:
            return segment, place
    return None


def _position_of(segments: Segments, segment: Segment, offset: int) -> int:
    """Where the batch that holds `offset` starts in a segment, or the segment's end."""
    if segments[segments.number_of(offset)] is not segment:
        return segment.written
    found = segment.find(offset)
    return segment.written if found is None else found.position
