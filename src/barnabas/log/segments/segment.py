"""One segment: a .log (or .kafka) file with its offset index, time index and aborted transactions.

A segment does not decide when it ends, and knows nothing of producers or epochs.
"""

from collections.abc import Sequence

from barnabas.log.file_names import INDEX, SEGMENT_FILES, TIME_INDEX, TRANSACTION_INDEX
from barnabas.log.segments.indexed_file import UNKNOWN, IndexedFile
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.transaction_index import TransactionIndex
from barnabas.ports import Disk, File
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.records.checksums import crc32c

_INT32_MAX = (1 << 31) - 1


class Segment(IndexedFile):
    """A stretch of a log from `base_offset` up to the next segment's."""

    __slots__ = ("_aborted", "_aborted_entries", "created_ms", "jitter_ms")

    def __init__(
        self,
        disk: Disk,
        directory: str,
        base_offset: int,
        config: LogConfig,
        *,
        aborted_entries: int | None = None,
    ) -> None:
        """`aborted_entries`: entries of the file of aborted transactions at least; None: read it if needed."""
        super().__init__(disk, directory, base_offset, config)
        self._aborted: TransactionIndex | None = None
        self._aborted_entries = aborted_entries
        self.created_ms = 0
        """The time of its creation, for rolling segments whose records have no time; 0 if unknown.
        """
        self.jitter_ms = _jitter(self.stem, config)
        """By how much it ends before its time, so that not all logs roll at once."""

    def create(self, now_ms: int) -> None:
        """Make its files, empty; what an unclean stop left under their names goes."""
        self.created_ms = now_ms
        self.file.truncate(0)
        self.size = self.written = 0
        self._disk.remove(self.stem + TRANSACTION_INDEX)
        self.start_rebuild()
        self.flush_indexes()

    @property
    def aborted(self) -> TransactionIndex:
        """The index of aborted transactions."""
        if self._aborted is None:
            self._aborted = TransactionIndex(
                self._disk,
                self.stem + TRANSACTION_INDEX,
                self.base_offset,
                self._aborted_entries or 0,
            )
        return self._aborted

    @property
    def aborted_entries(self) -> int:
        """How many transactions were aborted in it at least, as far as is known without scanning it."""
        if self._aborted is None and self._aborted_entries is None:
            if self._disk.exists(self.stem + TRANSACTION_INDEX):
                return self.aborted.known_entries
            self._aborted_entries = 0
        return (
            (self._aborted_entries or 0) if self._aborted is None else self._aborted.known_entries
        )

    def expect_aborted(self, entries: int) -> None:
        """Have the index made again, when it is read, if it has fewer entries."""
        assert self._aborted is None, "it was not read"
        self._aborted_entries = max(self._aborted_entries or 0, entries)

    def note_aborted(self, aborted: AbortedTransaction | None) -> None:
        """Have the index know of a transaction that the newest batch has aborted, if it has."""
        if aborted is not None:
            self.aborted.append(aborted)

    def surely_takes(self, size: int, last_offset: int, timestamp: int, config: LogConfig) -> bool:
        """Whether a batch goes into it, as most do; if not, ask `needs_new_segment`."""
        return (
            self.room > 0
            and self.size + size <= config.segment_bytes
            and 0 <= timestamp - self.first_seen <= config.sure_segment_ms
            and last_offset - self.base_offset <= _INT32_MAX
            and self.first_seen >= 0
        )

    def add(self, size: int, last_offset: int, max_timestamp: int) -> None:
        """Count a batch of `size` bytes that the log has queued."""
        position = self.size
        if not position:
            self.first_seen = max_timestamp
        self.size = position + size
        if self.since_index > self.index_interval or self.newest_seen == UNKNOWN:
            self.index_batch(position, size, last_offset, max_timestamp)
            return
        # What most batches come to, without a call.
        if max_timestamp > self.newest_seen:
            self.newest_seen = max_timestamp
            self.max_timestamp_offset = last_offset
        self.since_index += size

    def index_is_full(self, most_bytes: int) -> bool:
        """Whether another entry would make an index file longer than `most_bytes`."""
        # One entry of the time index is kept for `seal`.
        self.room = min(
            most_bytes // 8 - len(self.offsets.entries),
            most_bytes // 12 - 1 - len(self.times.entries),
        )
        return self.room <= 0

    def seal(self) -> None:
        """Write both indexes out, the greatest timestamp as the last entry; no sync."""
        newest = self.max_timestamp
        self.times.append(newest, self.max_timestamp_offset)
        self.room = 0
        self.flush_indexes()

    def flush_indexes(self) -> None:
        """Write what the indexes hold in memory; no sync."""
        self.flush_entries()
        self.flush_aborted()

    def flush_aborted(self) -> None:
        """Write the aborted transactions; no sync."""
        if self._aborted is not None:
            self._aborted.flush()

    def truncate(self, position: int, offset: int) -> None:
        """Cut at a batch boundary: `offset` and all that follows is gone."""
        self.file.truncate(position)
        self.size = self.written = position
        self.offsets.truncate(offset)
        self.times.truncate(offset)
        self.aborted.truncate(offset)
        self.room = 0
        if not position:
            self.first_seen = UNKNOWN
        self.since_index = 0
        self.newest_seen = UNKNOWN

    def files(self) -> list[File]:
        """What a sync of this segment must sync."""
        files = [self.file, self.offsets.entries.file, self.times.entries.file]
        if self._aborted is not None and self._aborted.file is not None:
            files.append(self._aborted.file)
        return files

    def index_paths(self) -> list[str]:
        """All of these but the log itself, by their names, whether or not they are there."""
        return [self.stem + kind for kind in (INDEX, TIME_INDEX, TRANSACTION_INDEX)]

    def close(self) -> None:
        """Close descriptors; entries not flushed are lost."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.close_indexes()
        if self._aborted is not None:
            self._aborted.close()

    def rename_to(self, suffix: str) -> list[str]:
        """Put a suffix behind the names of all its files; returns the new paths."""
        renamed = []
        for kind in SEGMENT_FILES:
            path = self.stem + kind
            if self._disk.exists(path):
                self._disk.rename(path, path + suffix, durable=False)
                renamed.append(path + suffix)
        return renamed


def new_segment(disk: Disk, directory: str, base_offset: int, config: LogConfig) -> Segment:
    """Make an empty one, of no known age."""
    segment = Segment(disk, directory, base_offset, config)
    segment.create(0)
    return segment


def _jitter(stem: str, config: LogConfig) -> int:
    """A number below `segment.jitter.ms` that differs from segment to segment, as if by chance."""
    bound = min(config.segment_jitter_ms, config.longest_segment_ms)
    return crc32c(stem.encode()) % bound if bound > 0 else 0


def remove_segments(disk: Disk, segments: Sequence[Segment]) -> None:
    """Close segments and remove their files at once."""
    for segment in segments:
        segment.close()
        for suffix in SEGMENT_FILES:
            disk.remove(segment.stem + suffix)
