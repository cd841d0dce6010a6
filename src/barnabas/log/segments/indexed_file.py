"""The batches of a segment with their offset index and time index, which are hints.

An entry is checked when it is used. Where one is wrong, or an index is missing, both are made again
from the batches; that happens once, as what it makes is right.
"""

import contextlib
import logging
from collections.abc import Callable

from barnabas.errors import DamagedFile, DecodeError, StorageError
from barnabas.log.file_names import INDEX, TIME_INDEX
from barnabas.log.segments.batch_file import BatchesEnd, BatchFile
from barnabas.log.segments.entry_file import MISSING
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.offset_index import IndexEntry, OffsetIndex
from barnabas.log.segments.offset_schemes import BYTE_POSITION
from barnabas.log.segments.scan import BatchPosition
from barnabas.log.segments.time_index import TimeEntry, TimeIndex
from barnabas.ports import Disk
from barnabas.records.batches.batch import BatchHeader
from barnabas.types import NO_TIMESTAMP

log = logging.getLogger(__name__)

UNKNOWN = -2
_FAR = 4 << 20
"""Bytes that a look-up passes over only where the index lacks entries, or batches are very large."""
_LARGEST = (1 << 31) - 1
_Look = Callable[[OffsetIndex, int], IndexEntry | None]


class IndexedFile(BatchFile):
    """Where in its file the batches with some offset or some time are."""

    __slots__ = (
        "_mended", "_offsets", "_times", "first_seen", "index_interval", "max_timestamp_offset",
        "newest_seen", "room", "since_index",
    )  # fmt: skip

    def __init__(self, disk: Disk, directory: str, base_offset: int, config: LogConfig) -> None:
        super().__init__(disk, directory, base_offset, config)
        self.index_interval = config.index_interval_bytes
        self._mended = False
        """Whether the indexes were made again since the segment was opened."""
        self._offsets: OffsetIndex | None = None
        self._times: TimeIndex | None = None
        self.since_index = 0
        """Bytes after the last entry of the indexes; the next comes behind `index_interval` of them."""
        self.newest_seen = UNKNOWN
        """`max_timestamp`, -2 where that has to be asked."""
        self.first_seen = UNKNOWN
        """`first_timestamp`, negative where that has to be asked."""
        self.max_timestamp_offset = base_offset
        self.room = 0
        """For how many entries the indexes surely have room; if not positive, ask `index_is_full`."""

    @property
    def offsets(self) -> OffsetIndex:
        """The offset index; made again if its file is unsound."""
        if self._offsets is None:
            self._load()
        assert self._offsets is not None
        return self._offsets

    @property
    def times(self) -> TimeIndex:
        """The time index; made again if its file is unsound."""
        if self._times is None:
            self._load()
        assert self._times is not None
        return self._times

    @property
    def max_timestamp(self) -> int:
        """The greatest timestamp of its batches; -1 if they have none."""
        if self.newest_seen == UNKNOWN:
            self.newest_seen = self._find_max_timestamp()
        return self.newest_seen

    @property
    def first_timestamp(self) -> int:
        """The max timestamp of the first batch, from which rolling by time counts; -1 if none."""
        if self.first_seen == UNKNOWN and self.size:
            first = self.first_header(0)
            self.first_seen = NO_TIMESTAMP if first is None else first.max_timestamp
        return self.first_seen if self.size else NO_TIMESTAMP

    # --- Look-ups ------------------------------------------------------------------------------

    def find(self, offset: int) -> BatchPosition | None:
        """The batch that contains `offset`, otherwise the next one; None after the last.

        Raises:
            DamagedFile: the file contains something else than batches.
        """
        entry = self._entry(OffsetIndex.for_offset, offset)
        start, claim = (0, None) if entry is None else (entry.position, self._claim(entry))
        try:
            found = self._scheme.locate(
                self.file, self.base_offset, start, self.written, offset, claim
            )
        except DecodeError as error:
            self._doubt(entry, error)
            return self.find(offset)
        passed = (self.written if found is None else found.position) - start
        if passed > _FAR + 2 * self.index_interval and not self._mended:
            self._mend(INDEX, f"it has no entry for the {passed} bytes from {start} on")
        return found

    def boundary_at(self, position: int) -> BatchPosition:
        """The last batch start in the index at or before a position; otherwise the first batch.

        Raises:
            DamagedFile: the file contains something else than a batch there.
        """
        return self._place_of(OffsetIndex.for_position, position)

    def position_for(self, offset: int) -> int:
        """The start of the batch that contains `offset`, or of the last index entry before it.

        Raises:
            DamagedFile: the file contains something else than batches.
        """
        return self._place_of(OffsetIndex.for_offset, offset).position if self.written else 0

    def _place_of(self, look: _Look, value: int) -> BatchPosition:
        """The batch of the entry that `look` finds for a value; the first one if it finds none."""
        entry = self._entry(look, value)
        start, claim = (0, None) if entry is None else (entry.position, self._claim(entry))
        try:
            return self._scheme.place_at(self.file, self.base_offset, start, self.written, claim)
        except DecodeError as error:
            self._doubt(entry, error)
            return self._place_of(look, value)

    def _entry(self, look: _Look, value: int) -> IndexEntry | None:
        try:
            return look(self.offsets, value)
        except StorageError as error:
            self._mend(INDEX, str(error))
            return look(self.offsets, value)

    def _claim(self, entry: IndexEntry) -> tuple[int, int]:
        return self.base_offset, entry.offset

    def _doubt(self, entry: IndexEntry | None, error: DecodeError) -> None:
        """An entry is wrong; if that is not the index's fault, raise the error."""
        if entry is None or self._mended:
            raise self.damaged(error) from error
        where = f"its entry for offset {entry.offset} says position {entry.position}"
        self._mend(INDEX, f"{where}: at {error.offset} there is not {error.expected}")

    def position_before(self, timestamp: int) -> int:
        """The start of a batch before which all records are older than `timestamp`.

        Raises:
            DamagedFile: the file contains something else than batches.
        """
        entry = self._time_entry(lambda times: times.up_to(timestamp))
        return 0 if entry is None else self.position_for(entry.offset)

    def _time_entry(self, look: Callable[[TimeIndex], TimeEntry | None]) -> TimeEntry | None:
        """The entry that `look` finds, which its batch bears out."""
        try:
            entry = look(self.times)
            if entry is None or self._bears_out(entry):
                return entry
            what = f"its entry for time {entry.timestamp} says offset {entry.offset}"
            fault = f"{what}: the batch with that is of another time"
        except StorageError as error:
            fault = str(error)
        self._mend(TIME_INDEX, fault)
        return look(self.times)

    def _bears_out(self, entry: TimeEntry) -> bool:
        """Whether the batch of an entry is as young as the entry says, if that can be checked."""
        try:
            place = self.find(entry.offset)
            header = None if place is None else self.first_header(place.position)
        except DamagedFile:
            return True
        return header is not None and header.max_timestamp == entry.timestamp

    def next_offset(self) -> int:
        """The offset after the last whole batch in the file; where they count bytes, its end."""
        if self._scheme is BYTE_POSITION:
            return self.base_offset + self.written
        return self.end_from(self._last_known()).offset

    def whole_end(self) -> BatchesEnd | None:
        """Where the last batch ends; None if the file does not end with one."""
        try:
            end = self.end_from(self._last_known())
        except DamagedFile:
            return None
        return end if end.position == self.written else None

    def _last_known(self) -> int:
        """Where the batch of the last index entry starts; 0 if there is none."""
        return self._place_of(OffsetIndex.for_position, _LARGEST).position if self.written else 0

    def _find_max_timestamp(self) -> int:
        """The largest timestamp in the time index, and in the batches after its last entry.

        Both indexes get their entries together; the last one of the time index may be missing. If
        its last entry is far from the end, only the batches from the last offset entry on are read.
        """
        last = self._time_entry(TimeIndex.last)
        if self.newest_seen != UNKNOWN:
            return self.newest_seen  # Both indexes were made again meanwhile.
        timestamp, at_offset = last or (NO_TIMESTAMP, self.base_offset)
        known = self._last_known()
        start = 0 if last is None else self._position_of(last.offset, known)
        if self.written - start > _FAR:
            start = known
        try:
            for header in self.headers(min(start, known)):
                if header.max_timestamp <= timestamp:
                    continue
                if header.position <= known and known:
                    self._mend(TIME_INDEX, f"it knows nothing younger than {timestamp}")
                    return self.newest_seen
                timestamp, at_offset = header.max_timestamp, header.last_offset
        except DecodeError as error:
            raise self.damaged(error) from error
        self.max_timestamp_offset = at_offset
        return timestamp

    def _position_of(self, offset: int, otherwise: int) -> int:
        """Where the batch that holds an offset starts, if that can be seen."""
        try:
            place = self.find(offset)
        except DamagedFile:
            return otherwise
        return otherwise if place is None else place.position

    # --- Making ---------------------------------------------------------------------------------

    def index(self, position: int, batch: BatchHeader) -> None:
        """Let the indexes know of a batch that is in the file."""
        self.index_batch(position, batch.size, batch.last_offset, batch.max_timestamp)

    def index_batch(self, position: int, size: int, last_offset: int, max_timestamp: int) -> None:
        """As `index`, of a batch of `size` bytes that may still be queued."""
        # The order of these steps decides which entries exist; it is Kafka's (LogSegment.append),
        # so that both write the same indexes for the same batches.
        newest = self.newest_seen
        if max_timestamp > (self.max_timestamp if newest == UNKNOWN else newest):
            self.newest_seen = max_timestamp
            self.max_timestamp_offset = last_offset
        if self.since_index > self.index_interval:
            # As the properties, which cost more than the rest of it.
            (self._offsets or self.offsets).append(last_offset, position)
            (self._times or self.times).append(self.newest_seen, self.max_timestamp_offset)
            self.since_index = 0
            self.room -= 1
        self.since_index += size

    def _load(self) -> None:
        """Have both indexes; made again where their files are not what they should be."""
        index = INDEX
        try:
            self._offsets = OffsetIndex(self._disk, self.stem + INDEX, self.base_offset)
            fault = self._offsets.entries.fault()
            if not fault:
                index = TIME_INDEX
                self._times = TimeIndex(self._disk, self.stem + TIME_INDEX, self.base_offset)
                fault = self._times.entries.fault()
        except StorageError as error:
            fault = str(error)
        if fault:
            self._index_all()
            self._replace(index, fault)

    def _mend(self, index: str, fault: str) -> None:
        """Rebuild both indexes, because an entry of one is wrong.

        Raises:
            DamagedFile: the batches are incomplete, so the error may be theirs. The indexes stay,
                because they may lead to later batches.
        """
        if self._mended:
            raise DamagedFile(self.stem + index, 0, f"what the batches say, and {fault}")
        indexes = self._offsets, self._times, self.since_index
        times = self.first_seen, self.newest_seen, self.max_timestamp_offset
        end = self._index_all()
        if end < self.written:
            self._offsets, self._times, self.since_index = indexes
            self.first_seen, self.newest_seen, self.max_timestamp_offset = times
            raise DamagedFile(self.path, end, "a whole batch")
        if times[1] > self.newest_seen:
            # That of a batch which is queued, and not yet in the file.
            _, self.newest_seen, self.max_timestamp_offset = times
        self._replace(index, fault)

    def _index_all(self) -> int:
        """Make both indexes in memory; gives where the last whole batch ends."""
        self._mended = True
        self.start_rebuild()
        end = 0
        for found in self.scan(0, check_crcs=False):
            self.index(found.header.position, found.header)
            end = found.header.end
        return end

    def _replace(self, index: str, fault: str) -> None:
        """Write the indexes that were made again; a disk that takes nothing now is tried later."""
        path = self.stem + index
        if self.size:
            # Kafka had no time index before 0.10.1: a file that is missing is nothing to worry about.
            level = logging.INFO if fault == MISSING else logging.WARNING
            log.log(level, "index made again from its segment", extra={"file": path, "why": fault})
        newest = self.max_timestamp
        self.times.append(newest, self.max_timestamp_offset)
        with contextlib.suppress(StorageError):
            self.flush_entries()

    def flush_entries(self) -> None:
        """Write what both indexes hold in memory; no sync."""
        self.offsets.entries.flush()
        self.times.entries.flush()

    def close_indexes(self) -> None:
        """Close their descriptors; entries not flushed are lost."""
        for each in (self._offsets, self._times):
            if each is not None:
                each.entries.close()

    def start_rebuild(self) -> None:
        """Begin indexes without entries, for a scan that calls `index` for each batch."""
        stem, base = self.stem, self.base_offset
        self.close_indexes()
        self._offsets = OffsetIndex(self._disk, stem + INDEX, base, anew=True)
        self._times = TimeIndex(self._disk, stem + TIME_INDEX, base, anew=True)
        self.room = 0
        self.newest_seen = NO_TIMESTAMP
        self.max_timestamp_offset = self.base_offset
        self.first_seen = UNKNOWN
        self.since_index = 0
