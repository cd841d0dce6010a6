"""One segment: a .log (or .kafka) file with its offset index and time index.

A segment does not decide when it ends, and knows nothing of producers or epochs.
"""

from collections.abc import Iterator

from barnabas.errors import DamagedFile, DecodeError
from barnabas.log.config import LogConfig
from barnabas.log.file_names import (
    INDEX,
    SEGMENT_FILES,
    TIME_INDEX,
    TRANSACTION_INDEX,
    segment_name,
)
from barnabas.log.offset_index import OffsetIndex
from barnabas.log.offset_schemes import BYTE_POSITION
from barnabas.log.scan import FoundBatch, Place
from barnabas.log.time_index import TimeIndex
from barnabas.log.transaction_index import TransactionIndex
from barnabas.ports import Disk, File
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.records.batch import BatchHeader
from barnabas.records.checksums import crc32c
from barnabas.types import NO_TIMESTAMP

_UNKNOWN = -2
_INT32_MAX = (1 << 31) - 1


class Segment:
    """A stretch of a log from `base_offset` up to the next segment's.

    Invariant: written <= size; the bytes between are queued by the log and not yet in the file.
    """

    __slots__ = (
        "_aborted",
        "_disk",
        "_file",
        "_index_interval",
        "_max_timestamp",
        "_offsets",
        "_scheme",
        "_since_index",
        "_times",
        "base_offset",
        "created_ms",
        "first_seen",
        "jitter_ms",
        "max_timestamp_offset",
        "room",
        "size",
        "stem",
        "written",
    )

    def __init__(self, disk: Disk, directory: str, base_offset: int, config: LogConfig) -> None:
        self.stem = f"{directory}/{segment_name(base_offset)}"
        self.base_offset = base_offset
        self._scheme = config.scheme
        self._disk = disk
        self._index_interval = config.index_interval_bytes
        self._file: File | None = None
        self._offsets: OffsetIndex | None = None
        self._times: TimeIndex | None = None
        self._aborted: TransactionIndex | None = None
        self._since_index = 0
        self._max_timestamp = _UNKNOWN
        self.first_seen = _UNKNOWN
        """`first_timestamp`, negative where that has to be asked."""
        self.max_timestamp_offset = base_offset
        self.room = 0
        """For how many entries the indexes surely have room; if not positive, ask `index_is_full`."""
        self.created_ms = 0
        """When it was made, for rolling segments whose records have no time; 0 if not known."""
        self.jitter_ms = _jitter(self.stem, config)
        """By how much it ends before its time, so that not all logs roll at once."""
        self.size = disk.size(self.path) if disk.exists(self.path) else 0
        self.written = self.size

    def create(self, now_ms: int) -> None:
        """Make its files, empty; what an unclean stop left under their names goes."""
        self.created_ms = now_ms
        self.file.truncate(0)
        self.size = self.written = 0
        self._disk.remove(self.stem + TRANSACTION_INDEX)
        self.start_rebuild()

    @property
    def path(self) -> str:
        """The file of the batches."""
        return self.stem + self._scheme.suffix

    @property
    def file(self) -> File:
        """The file of the batches, opened (and made) when first needed."""
        if self._file is None:
            self._file = self._disk.open(self.path, create=True)
        return self._file

    @property
    def offsets(self) -> OffsetIndex:
        """The offset index; made again if its file is unsound."""
        if self._offsets is None:
            self._load_indexes()
        assert self._offsets is not None
        return self._offsets

    @property
    def times(self) -> TimeIndex:
        """The time index; made again if its file is unsound."""
        if self._times is None:
            self._load_indexes()
        assert self._times is not None
        return self._times

    @property
    def aborted(self) -> TransactionIndex:
        """The index of aborted transactions."""
        if self._aborted is None:
            self._aborted = TransactionIndex(self._disk, self.stem + TRANSACTION_INDEX)
        return self._aborted

    def note_aborted(self, aborted: AbortedTransaction | None) -> None:
        """Have the index know of a transaction that the newest batch has aborted, if it has."""
        if aborted is not None:
            self.aborted.append(aborted)

    def _load_indexes(self) -> None:
        self._offsets = OffsetIndex(self._disk, self.stem + INDEX, self.base_offset)
        self._times = TimeIndex(self._disk, self.stem + TIME_INDEX, self.base_offset)
        if not self.size:
            return
        if not (self._offsets.entries.is_sound() and self._times.entries.is_sound()):
            self.start_rebuild()
            for found in self.scan(0, check_crcs=False):
                self.index(found.header.position, found.header)
            self.seal()

    @property
    def max_timestamp(self) -> int:
        """The greatest timestamp of its batches; -1 if they have none."""
        if self._max_timestamp == _UNKNOWN:
            self._max_timestamp = self._find_max_timestamp()
        return self._max_timestamp

    @property
    def first_timestamp(self) -> int:
        """The max timestamp of the first batch, from which rolling by time counts; -1 if none."""
        if self.first_seen == _UNKNOWN and self.size:
            try:
                first = next(self.headers(0), None)
            except DecodeError as error:
                raise self._damaged(error) from error
            self.first_seen = NO_TIMESTAMP if first is None else first.max_timestamp
        return self.first_seen if self.size else NO_TIMESTAMP

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
        """Count a batch of `size` bytes that the log has queued behind the others."""
        position = self.size
        if not position:
            self.first_seen = max_timestamp
        self.size = position + size
        if self._since_index > self._index_interval or self._max_timestamp == _UNKNOWN:
            self._index(position, size, last_offset, max_timestamp)
            return
        # What most batches come to, without a call.
        if max_timestamp > self._max_timestamp:
            self._max_timestamp = max_timestamp
            self.max_timestamp_offset = last_offset
        self._since_index += size

    def index(self, position: int, batch: BatchHeader) -> None:
        """Let the indexes know of a batch that is in the file."""
        self._index(position, batch.size, batch.last_offset, batch.max_timestamp)

    def _index(self, position: int, size: int, last_offset: int, max_timestamp: int) -> None:
        # The order of these steps decides which entries exist; it is Kafka's (LogSegment.append),
        # so that both write the same indexes for the same batches.
        if max_timestamp > self.max_timestamp:
            self._max_timestamp = max_timestamp
            self.max_timestamp_offset = last_offset
        if self._since_index > self._index_interval:
            self.offsets.append(last_offset, position)
            self.times.append(self._max_timestamp, self.max_timestamp_offset)
            self._since_index = 0
            self.room -= 1
        self._since_index += size

    def index_is_full(self, most_bytes: int) -> bool:
        """Whether another entry would make an index file longer than `most_bytes`."""
        # One entry of the time index is kept for `seal`.
        self.room = min(
            most_bytes // 8 - len(self.offsets.entries),
            most_bytes // 12 - 1 - len(self.times.entries),
        )
        return self.room <= 0

    def find(self, offset: int) -> Place | None:
        """The batch that holds `offset`, or the next one if none does; None behind the last.

        Raises:
            DamagedFile: the file holds something else than batches.
        """
        try:
            position = self.offsets.position_for(offset)
            return self._scheme.locate(self.file, self.base_offset, position, self.written, offset)
        except DecodeError as error:
            raise self._damaged(error) from error

    def boundary_at(self, position: int) -> Place:
        """The last batch start that the index knows at or before a position; the first batch else.

        Raises:
            DamagedFile: the file holds something else than a batch there.
        """
        found = self.offsets.entries.floor(position, 1)
        try:
            return self._scheme.place_at(self.file, self.base_offset, found[1] if found else 0)
        except DecodeError as error:
            raise self._damaged(error) from error

    def headers(self, position: int) -> Iterator[BatchHeader]:
        """Headers of the batches in the file from `position` on; DecodeError as `read_headers`."""
        return self._scheme.headers(self.file, self.base_offset, position, self.written)

    def scan(self, position: int, *, check_crcs: bool = True) -> Iterator[FoundBatch]:
        """The whole and right batches in the file from `position` on, as `scan_batches`."""
        return self._scheme.scan(
            self.file, self.base_offset, position, self.written, check_crcs=check_crcs
        )

    def next_offset(self) -> int:
        """The offset behind the last whole batch in the file; where they count bytes, its end."""
        if self._scheme is BYTE_POSITION:
            return self.base_offset + self.written
        return self._end_from(self.offsets.boundary_at(self.written))[1]

    def whole_end(self) -> int:
        """The offset behind the last batch; -1 if file and index do not end with one batch."""
        last = self.offsets.entries.last()
        start = last[1] if last else 0
        if start and start >= self.written:
            return -1
        position, after = self._end_from(start)
        return after if position == self.written else -1

    def _end_from(self, position: int) -> tuple[int, int]:
        """Position and offset behind the last whole batch, looked for from a batch's start on."""
        after = self.base_offset
        for found in self.scan(position, check_crcs=False):
            position, after = found.header.end, found.header.next_offset
        return position, after

    def start_rebuild(self) -> None:
        """Empty the indexes, for a scan that calls `index` for each batch."""
        self._offsets = OffsetIndex(self._disk, self.stem + INDEX, self.base_offset)
        self._times = TimeIndex(self._disk, self.stem + TIME_INDEX, self.base_offset)
        self._offsets.entries.clear()
        self._times.clear()
        self.room = 0
        self._max_timestamp = NO_TIMESTAMP
        self.max_timestamp_offset = self.base_offset
        self.first_seen = _UNKNOWN
        self._since_index = 0

    def seal(self) -> None:
        """Write both indexes out, the greatest timestamp as the last entry; no sync."""
        self.times.append(self.max_timestamp, self.max_timestamp_offset)
        self.room = 0
        self.flush_indexes()

    def flush_indexes(self) -> None:
        """Write what the indexes hold in memory; no sync."""
        self.offsets.entries.flush()
        self.times.entries.flush()
        self.flush_aborted()

    def flush_aborted(self) -> None:
        """Write what is known of aborted transactions; no sync."""
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
            self.first_seen = _UNKNOWN
        self._since_index = 0
        self._max_timestamp = self._find_max_timestamp()

    def _find_max_timestamp(self) -> int:
        """What the time index says, and the batches behind the last index entry.

        Both indexes get their entries together; the last one of the time index may be missing.
        """
        timestamp, at_offset = self.times.last()
        position = self.offsets.boundary_at(self.written)
        try:
            for header in self.headers(position):
                if header.max_timestamp > timestamp:
                    timestamp, at_offset = header.max_timestamp, header.last_offset
        except DecodeError as error:
            raise self._damaged(error) from error
        self.max_timestamp_offset = at_offset
        return timestamp

    def _damaged(self, error: DecodeError) -> DamagedFile:
        return DamagedFile(self.path, error.offset, error.expected)

    def modified_ms(self) -> int:
        """When its log file last changed."""
        return self._disk.modified_ms(self.path)

    def files(self) -> list[File]:
        """What a sync of this segment must sync."""
        files = [self.file, self.offsets.entries.file, self.times.entries.file]
        if self._aborted is not None and self._aborted.file is not None:
            files.append(self._aborted.file)
        return files

    def close(self) -> None:
        """Give descriptors back; what was not flushed is lost."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._offsets is not None:
            self._offsets.entries.close()
        if self._times is not None:
            self._times.entries.close()
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


def _jitter(stem: str, config: LogConfig) -> int:
    """A number below `segment.jitter.ms` that differs from segment to segment, as if by chance."""
    bound = min(config.segment_jitter_ms, config.longest_segment_ms)
    return crc32c(stem.encode()) % bound if bound > 0 else 0
