"""A segment written by compaction, under names that are not part of the log."""

from array import array
from collections.abc import Iterable, Sequence

from barnabas.errors import StorageError
from barnabas.kernels import layout
from barnabas.kernels.compaction import index_entries
from barnabas.log.file_names import (
    CLEANED,
    INDEX,
    LOG,
    SEGMENT_FILES,
    TIME_INDEX,
    TRANSACTION_INDEX,
    segment_name,
)
from barnabas.log.segments.offset_index import OffsetIndex
from barnabas.log.segments.time_index import TimeIndex
from barnabas.log.segments.transaction_index import encode_aborted
from barnabas.ports import Disk
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.records.batches.batch import walk
from barnabas.records.compaction.whole_batches import whole_batches
from barnabas.records.compaction.whole_messages import table_of
from barnabas.types import NO_TIMESTAMP, Buffer

_LARGEST = (1 << 31) - 1


class CleanedSegment:
    """`<base offset>.log.cleaned` with its indexes, empty at first; `size` is in bytes."""

    def __init__(self, disk: Disk, directory: str, base_offset: int, index_interval: int) -> None:
        stem = f"{directory}/{segment_name(base_offset)}"
        for kind in SEGMENT_FILES:
            disk.remove(stem + kind + CLEANED)
        self.size = 0
        self._disk = disk
        self._stem = stem
        self._interval = index_interval
        self._file = disk.open(stem + LOG + CLEANED, create=True)
        self._offsets = OffsetIndex(disk, stem + INDEX + CLEANED, base_offset)
        self._times = TimeIndex(disk, stem + TIME_INDEX + CLEANED, base_offset)
        self._state = array("q", bytes(8 * layout.COMPACTION_STATE))
        self._state[layout.INDEXED_TIME] = NO_TIMESTAMP
        self._state[layout.INDEXED_TIME_OFFSET] = base_offset

    def append(self, parts: Sequence[Buffer]) -> int:
        """Append batches; return their size in bytes.

        Raises:
            StorageError: the disk fails, or the segment would be larger than any may be.
        """
        if not parts:
            return 0
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        return self._append(data, whole_batches(data, check_crcs=False).table)

    def append_messages(self, parts: Sequence[Buffer]) -> int:
        """As `append`, for messages of magic 0 and 1."""
        data = b"".join(parts)
        return self._append(data, table_of(walk(data)))

    def _append(self, data: Buffer, table: "array[int]") -> int:
        if self.size + len(data) > _LARGEST:
            raise StorageError(f"{self._stem}{LOG}{CLEANED} would have 2 GiB or more")
        self._file.write(self.size, [data])
        found = array("q", bytes(32 * (len(table) // layout.WIDTH)))
        count = index_entries.entries(table, self._interval, self._state, found)
        for last, position, timestamp, at_offset in zip(
            *(found[field : 4 * count : 4] for field in range(4)), strict=True
        ):
            self._offsets.append(last, position)
            self._times.append(timestamp, at_offset)
        self.size += len(data)
        return len(data)

    def finish(self, aborted: Iterable[AbortedTransaction], modified_ms: int) -> None:
        """Flush it to stable storage, with its markers of aborted transactions.

        `modified_ms`: the last change of the replaced segments. Messages have no other time for the
        end of tombstones, and those of magic 0 none for retention.

        Raises:
            StorageError: the disk fails.
        """
        state = self._state
        self._times.append(state[layout.INDEXED_TIME], state[layout.INDEXED_TIME_OFFSET])
        self._offsets.entries.flush()
        self._times.entries.flush()
        files = [self._file, self._offsets.entries.file, self._times.entries.file]
        index = encode_aborted(aborted)
        if index:
            files.append(self._disk.open(self._stem + TRANSACTION_INDEX + CLEANED, create=True))
            files[-1].write(0, [index])
        for file in files:
            file.sync()
            file.close()
        self._disk.set_modified_ms(self._stem + LOG + CLEANED, modified_ms)
