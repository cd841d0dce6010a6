"""One round of compaction of one log: what it reads and writes, off the loop.

It works on a copy of what the log knew when the round began, and touches no file of the log but to
read it: what it writes has names of its own, until `replacement` puts it in place.
Source: Kafka's Cleaner.doClean, buildOffsetMap, groupSegmentsBySize and cleanSegments.
"""

from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from barnabas.log.cleaning.cleanable import Cleanable
from barnabas.log.cleaning.cleaned_segment import CleanedSegment
from barnabas.log.file_names import INDEX, LOG, TIME_INDEX, segment_name
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.pieces import read_pieces
from barnabas.ports import Disk
from barnabas.records.compaction.compaction import Survivors
from barnabas.records.compaction.latest_offsets import LatestOffsets
from barnabas.records.compaction.transactions import AbortedTransactions, TransactionFilter
from barnabas.records.compaction.whole_batches import WholeBatches
from barnabas.records.compaction.whole_messages import WholeMessages
from barnabas.types import Buffer

_INT32_MAX = (1 << 31) - 1


class OldSegment(NamedTuple):
    """A segment as it was when the round began; its offsets are below `next_base`."""

    base_offset: int
    size: int
    next_base: int


class CleanedGroup(NamedTuple):
    """A segment on stable storage that can take the place of those with these base offsets."""

    bases: Sequence[int]
    size: int


@dataclass(frozen=True, slots=True)
class CompactionInput:
    """What a round works on. Offsets before `first_dirty` were compacted before.

    `later` are segments that stay as they are; markers of transactions may be there.
    `last_offsets` are those of the last batches of active producers; `marker_epochs` as for
    `Survivors`.
    """

    directory: str
    config: LogConfig
    segments: Sequence[OldSegment]
    later: Sequence[OldSegment]
    first_dirty: int
    now_ms: int
    last_offsets: Sequence[int]
    marker_epochs: Mapping[int, int]
    map_bytes: int
    load_factor: float
    secret: bytes


def begin_round(
    log: PartitionLog, found: Cleanable, now_ms: int, memory: tuple[int, float], secret: bytes
) -> CompactionInput:
    """Collect what a round over a log needs; appends continue meanwhile.

    `memory` is the maximum size of the key map in bytes, and the share of it that may be filled.
    """
    bases = [each.base_offset for each in log.segments]
    segments = [
        OldSegment(each.base_offset, each.written, following)
        for each, following in zip(log.segments, [*bases[1:], log.written_end], strict=True)
    ]
    producers = [(each, each.last) for each in log.producers.entries()]
    return CompactionInput(
        directory=log.directory,
        config=log.config,
        segments=[each for each in segments if each.base_offset < found.end],
        later=[each for each in segments if each.base_offset >= found.end],
        first_dirty=found.first_dirty,
        now_ms=now_ms,
        last_offsets=[last.last_offset for _entry, last in producers if last],
        marker_epochs={entry.producer_id: entry.epoch for entry, last in producers if not last},
        map_bytes=memory[0],
        load_factor=memory[1],
        secret=secret,
    )


class Compaction:
    """A round under way. `steps` is for one other thread, `finished` for both."""

    def __init__(self, disk: Disk, plan: CompactionInput) -> None:
        self.finished: deque[CleanedGroup] = deque()
        """Groups ready to be installed, oldest first; the other thread takes from the left."""
        self.end = plan.first_dirty
        """Once all is over: up to where the log is clean."""
        self.bytes_read = 0
        self.keys = 0
        self._disk = disk
        self._plan = plan
        self._aborted = AbortedTransactions()
        self._horizon_of_messages = 0
        """Tombstones of magic 0 and 1 go from segments that were last written before it."""

    def steps(self) -> Iterator[int]:
        """Do the work; each step gives the bytes that it read and wrote.

        Raises:
            CorruptRecord: a segment holds what cannot be read.
            StorageError: the disk fails, or a segment is not there any more.
        """
        plan = self._plan
        clean = [each for each in plan.segments if each.base_offset < plan.first_dirty]
        if clean:
            newest = self._disk.modified_ms(self._path(clean[-1], LOG))
            self._horizon_of_messages = newest - plan.config.delete_retention_ms
        yield from self._survey()
        latest = LatestOffsets(plan.map_bytes, plan.load_factor, plan.secret)
        yield from self._learn(latest)
        self.keys = latest.keys.used
        end = latest.keys.latest + 1
        survivors = self._survivors(latest, end)
        for group in grouped(
            [each for each in plan.segments if each.base_offset < end], self._fits
        ):
            yield from self._clean(group, *survivors)
        self.end = end

    def _survey(self) -> Iterator[int]:
        """Find the aborted transactions, up to the markers of those that began where it may clean.

        That they have ended was seen when the round began.
        """
        segments, later = self._plan.segments, self._plan.later
        for number, segment in enumerate([*segments, *later]):
            if number >= len(segments) and not self._aborted.is_open_before(later[0].base_offset):
                return
            file = self._disk.open(self._path(segment, LOG))
            for piece in read_pieces(file, 0, segment.size, check_crcs=False):
                if isinstance(piece, WholeBatches):  # messages have no transactions
                    self._aborted.add(piece)
                yield piece.size
            file.close()

    def _learn(self, latest: LatestOffsets) -> Iterator[int]:
        plan = self._plan
        dirty = [each for each in plan.segments if each.next_base > plan.first_dirty]
        first = dirty[0].base_offset if dirty else 0
        transactions = TransactionFilter(
            each for each in self._aborted.found if each.last_offset >= first
        )
        for segment in dirty:
            file = self._disk.open(self._path(segment, LOG))
            for piece in read_pieces(file, 0, segment.size):
                for batches in _as_batches(piece):
                    if not latest.learn(batches, plan.first_dirty, transactions):
                        file.close()
                        return
                yield piece.size
            file.close()
            latest.keys.reach(segment.next_base - 1)

    def _survivors(self, latest: LatestOffsets, end: int) -> tuple[Survivors, TransactionFilter]:
        plan = self._plan
        transactions = TransactionFilter(self._aborted.found)
        survivors = Survivors(
            latest,
            transactions,
            array("q", sorted({*plan.last_offsets, end - 1})),
            plan.marker_epochs,
            now_ms=plan.now_ms,
            delete_retention_ms=plan.config.delete_retention_ms,
        )
        return survivors, transactions

    def _clean(
        self, group: Sequence[OldSegment], survivors: Survivors, transactions: TransactionFilter
    ) -> Iterator[int]:
        plan = self._plan
        interval = plan.config.index_interval_bytes
        cleaned = CleanedSegment(self._disk, plan.directory, group[0].base_offset, interval)
        transactions.kept.clear()
        modified = 0
        for segment in group:
            path = self._path(segment, LOG)
            modified = self._disk.modified_ms(path)
            file = self._disk.open(path)
            for piece in read_pieces(file, 0, segment.size):
                self.bytes_read += piece.size
                if isinstance(piece, WholeBatches):
                    written = cleaned.append(survivors.of(piece))
                else:
                    doomed = modified <= self._horizon_of_messages
                    written = cleaned.append_messages(_left_of(piece, survivors, doomed=doomed))
                yield piece.size + written
            file.close()
        cleaned.finish(transactions.kept, modified)
        self.finished.append(CleanedGroup([each.base_offset for each in group], cleaned.size))

    def _fits(self, group: Sequence[OldSegment]) -> bool:
        """Whether segments make one that is not larger than a segment may be."""
        config = self._plan.config
        if sum(each.size for each in group) > config.segment_bytes:
            return False
        if group[-1].size and group[-1].next_base - 1 - group[0].base_offset > _INT32_MAX:
            return False
        return all(
            sum(self._size(each, kind) for each in group) <= config.segment_index_bytes
            for kind in (INDEX, TIME_INDEX)
        )

    def _size(self, segment: OldSegment, kind: str) -> int:
        path = self._path(segment, kind)
        return self._disk.size(path) if self._disk.exists(path) else 0

    def _path(self, segment: OldSegment, kind: str) -> str:
        return f"{self._plan.directory}/{segment_name(segment.base_offset)}{kind}"


def _as_batches(piece: WholeBatches | WholeMessages) -> Iterator[WholeBatches]:
    if isinstance(piece, WholeBatches):
        yield piece
    else:
        yield from (group.as_batches() for group in piece.groups())


def _left_of(piece: WholeMessages, survivors: Survivors, *, doomed: bool) -> list[Buffer]:
    """The messages that stay."""
    parts: list[Buffer] = []
    for group in piece.groups():
        batches = group.as_batches(doomed=doomed)
        parts += group.left(batches, survivors.of(batches))
    return parts


def grouped(
    segments: Sequence[OldSegment], fits: Callable[[Sequence[OldSegment]], bool]
) -> Iterator[list[OldSegment]]:
    """Neighbours together while they fit; one alone always does."""
    group: list[OldSegment] = []
    for segment in segments:
        if group and not fits([*group, segment]):
            yield group
            group = []
        group.append(segment)
    if group:
        yield group
