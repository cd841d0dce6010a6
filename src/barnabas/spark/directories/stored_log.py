"""The log of one partition in its directory: its end, and the positions of offsets and times.

Indexes are hints: entries are checked against their batches, and a wrong or missing index is built again in
memory. The high watermark is unknown: all whole batches count.
"""

from bisect import bisect_right
from contextlib import closing
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from barnabas.errors import DamagedFile, DecodeError
from barnabas.log.file_names import INDEX
from barnabas.log.partition.timestamps import first_not_before
from barnabas.log.segments.batch_file import BatchesEnd
from barnabas.log.segments.log_config import MAGIC_07, LogConfig
from barnabas.log.segments.offset_index import OffsetIndex
from barnabas.log.segments.segment import Segment
from barnabas.log.segments.segments import Segments
from barnabas.ports import Disk, File
from barnabas.records.batches.batch import SMALLEST_ENTRY, header_size, read_entry
from barnabas.spark.directories.inventory import LogFiles, SegmentFile
from barnabas.types import Offset, OffsetRange, TopicPartition

_BEHIND_ALL = (1 << 31) - 1
_PIECE = 1 << 20
_HEADER_MOST = 61
_LENGTH = 4


class Tail(NamedTuple):
    """The end of a log: the offset after its last whole batch, and the position in that file.

    `rest` bytes follow in the file: an incomplete batch (`torn`), or something else.
    """

    offset: int
    position: int
    rest: int
    torn: bool


class Place(NamedTuple):
    """Where to start reading for an offset; and the byte and the offset at which the batches end."""

    path: str
    base_offset: int
    position: int
    limit: int
    behind: int


class StoredLog:
    """A log at one moment: later records are not seen. `start`: the log start offset of brokers."""

    def __init__(self, disk: Disk, where: TopicPartition, files: LogFiles, start: int) -> None:
        self.where = where
        self.byte_positions = files.byte_positions
        config = LogConfig(magic=MAGIC_07) if files.byte_positions else LogConfig()
        self._files = files.segments
        self._segments = [_StoredSegment(disk, each, config) for each in files.segments]
        self._bases = [each.base_offset for each in files.segments]
        self._start = start

    @property
    def start(self) -> int:
        """The first offset that may exist."""
        first = self._bases[0] if self._bases else 0
        return min(max(first, self._start), self.tail.offset)

    @cached_property
    def tail(self) -> Tail:
        """The end, found by reading on from the last entry of the last index.

        Raises:
            StorageError: the last segment cannot be read.
        """
        if not self._segments:
            return Tail(self._start, 0, 0, torn=False)
        segment = self._segments[-1]
        with closing(segment):
            end = _batches_end(segment)
            rest = _rest(segment.file, end.position, segment.written)
            torn = bool(rest) and _is_torn(
                segment.file, end.position, segment.written, bytes_counted=self.byte_positions
            )
        # Lookups must not read beyond the whole batches.
        segment.size = segment.written = end.position
        return Tail(end.offset, end.position, rest, torn)

    @property
    def last_path(self) -> str:
        """The file that contains the end."""
        return self._files[-1].path

    def gaps(self) -> list[OffsetRange]:
        """The gaps between consecutive segments, from `start` on.

        Compaction leaves gaps, and so does a segment that was lost with its index.

        Raises:
            StorageError: a segment cannot be read.
        """
        found: list[OffsetRange] = []
        for segment, behind in zip(self._segments, self._bases[1:], strict=False):
            end = self._end_of(segment) if behind > self.start else None
            if end is not None and (end := max(end, self.start)) < behind:
                found.append(OffsetRange(*self.where, Offset(end), Offset(behind)))
        return found

    def _end_of(self, segment: Segment) -> int | None:
        """The offset after the last batch of a segment that is not the last one.

        None if the file does not end with a whole batch: reading it reports that.
        """
        if self.byte_positions:
            return segment.base_offset + segment.written
        with closing(segment):
            end = _batches_end(segment)
        return end.offset if end.position == segment.written else None

    def at_time(self, timestamp_ms: int) -> int | None:
        """The offset of the first record at or after a time; None: no such record.

        Raises:
            StorageError: a segment is damaged where it was read.
            RefusedRecords: a batch decompresses to more than is allowed.
        """
        first = max(self.start, 0)  # Also finds the end.
        for segment in self._segments[self._number_of(first) :]:
            with closing(segment):
                found = first_not_before(Segments([segment]), first, timestamp_ms)
            if found is not None:
                return found.offset
        return None

    def pieces(self, start: int, end: int, split_bytes: int) -> list[OffsetRange]:
        """Split the offsets [start, end) by segment; split large segments where a batch begins.

        Raises:
            StorageError: a segment is damaged where it was read.
        """
        found: list[OffsetRange] = []
        bases = self._bases
        for number in range(self._number_of(start), len(bases)):
            segment = self._segments[number]
            behind = bases[number + 1] if number + 1 < len(bases) else self.tail.offset
            low, high = max(start, bases[number]), min(end, behind)
            if low >= end:
                break
            marks = [low, *self._marks(segment, low, high, split_bytes), high] if low < high else []
            found += [
                OffsetRange(*self.where, Offset(left), Offset(right))
                for left, right in pairwise(marks)
            ]
        return found

    def _marks(self, segment: Segment, low: int, high: int, split_bytes: int) -> list[int]:
        """Offsets between `low` and `high` at which batches begin, about `split_bytes` apart."""
        if segment.written <= split_bytes:
            return []
        marks: list[int] = []
        with closing(segment):
            begin = segment.position_for(low) if low > segment.base_offset else 0
            size = segment.written - begin
            count = -(-size // split_bytes)
            for index in range(1, count):
                offset = segment.boundary_at(begin + size * index // count).base_offset
                if (marks[-1] if marks else low) < offset < high:
                    marks.append(offset)
        return marks

    def place(self, offset: int) -> Place:
        """The position at which a task starts reading for an offset.

        Raises:
            StorageError: the segment is damaged where it was read.
        """
        number = self._number_of(offset)
        segment = self._segments[number]
        if number + 1 == len(self._segments):
            limit, behind = self.tail.position, self.tail.offset
        else:
            limit, behind = segment.written, self._bases[number + 1]
        with closing(segment):
            position = segment.position_for(offset) if offset > segment.base_offset else 0
        return Place(segment.path, segment.base_offset, position, limit, behind)

    def _number_of(self, offset: int) -> int:
        return max(bisect_right(self._bases, offset) - 1, 0)


class _StoredSegment(Segment):
    """A segment whose file may have an old name. It is never written."""

    __slots__ = ("_path",)

    def __init__(self, disk: Disk, file: SegmentFile, config: LogConfig) -> None:
        self._path = file.path
        super().__init__(disk, file.path.rpartition("/")[0], file.base_offset, config)

    @property
    def path(self) -> str:
        return self._path

    @property
    def offsets(self) -> OffsetIndex:
        """The offset index. The time index, which Kafka 0.8 and 0.9 lack, may be missing."""
        if self._offsets is None:
            found = OffsetIndex(self._disk, self.stem + INDEX, self.base_offset)
            if not found.entries.fault():
                self._offsets = found
        return super().offsets


def _batches_end(segment: Segment) -> BatchesEnd:
    """The end of the last whole batch, found by reading on from the last index entry."""
    try:
        known = segment.boundary_at(_BEHIND_ALL).position if segment.written else 0
    except DamagedFile:
        known = 0
    return segment.end_from(known)


def _rest(file: File, position: int, end: int) -> int:
    """How many bytes follow the last whole batch; 0 if they are preallocated zeros.

    A few zeros may be the first bytes of an offset.
    """
    rest = end - position
    pieces = range(position, end, _PIECE)
    if rest < SMALLEST_ENTRY or any(any(file.read(at, min(_PIECE, end - at))) for at in pieces):
        return rest
    return 0


def _is_torn(file: File, position: int, end: int, *, bytes_counted: bool) -> bool:
    """Whether the last whole batch is followed by one whose length exceeds the file."""
    head = file.read(position, min(_HEADER_MOST, end - position))
    if bytes_counted:
        length = int.from_bytes(head[:_LENGTH], "big", signed=True)
        return len(head) < _LENGTH or _LENGTH + length > end - position
    if len(head) < SMALLEST_ENTRY or len(head) < header_size(head, 0):
        return True
    try:
        return read_entry(head).size > end - position
    except DecodeError:
        return False
