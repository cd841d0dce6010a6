"""The files of one partition: write queued batches, roll segments, sync and close.

*Not* here: what may be queued, and reading (`partition_log`).
"""

from barnabas.errors import DiskFull, StorageError
from barnabas.log.partition.log_state import LogState
from barnabas.log.partition.seen_end import SeenEnd
from barnabas.log.producers.producer_snapshot import write_snapshot
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.segment import Segment
from barnabas.ports import Disk
from barnabas.types import TopicPartition


class StoredLog(LogState):
    """A log whose files can be written."""

    __slots__ = ("seen",)

    def __init__(
        self, disk: Disk, topic_partition: TopicPartition, directory: str, config: LogConfig
    ) -> None:
        super().__init__(disk, topic_partition, directory, config)
        self.seen = SeenEnd(self)

    def write_pending(self) -> None:
        """Write all queued batches in one call; readers see them from then on.

        With `flush.messages` reached, readers see them once they are on stable storage. If `seen`
        has a listener, a sync starts, and the listener is notified of its end; otherwise this
        returns after the sync.

        Raises:
            StorageError: none of the queued batches counts, and the log is offline from now on; on a
                full disk it only accepts no more records.
        """
        if self.failure is not None:
            raise self.offline()
        if not self.queue:
            return
        segment = self.segments.active
        try:
            segment.file.write(segment.written, self.queue)
        except StorageError as error:
            self.drop_queued(error)
            raise
        self.queue = []
        self._touched = True
        segment.written = segment.size
        self.file_end = self.end_offset
        self.seen.wrote()

    # --- Rolling and flushing -----------------------------------------------------------------

    def roll(self, now_ms: int) -> Segment:
        """Begin a new segment at the end offset; the old one goes to stable storage meanwhile.

        Raises:
            StorageError: the log takes no more records.
        """
        self.write_pending()
        old = self.segments.active
        if not old.size:
            return old
        try:
            old.seal()
            snapshots = self._write_snapshot()
            segment = Segment(self.disk, self.directory, self.end_offset, self.config)
            segment.create(now_ms)
            self.flushing.begin(self.segments, self.file_end, snapshots, now_ms)
        except StorageError as error:
            self.drop_queued(error)
            raise
        self.segments.add(segment)
        self.snapshot_offset = self.end_offset
        self.recent.clear()
        return segment

    def _write_snapshot(self) -> list[str]:
        """Write a snapshot of the producers; return the paths to sync."""
        if self.config.byte_positions:
            return []  # Its messages have no producers.
        return [write_snapshot(self.disk, self.directory, self.end_offset, self.producers)]

    def begin_flush(self, now_ms: int) -> None:
        """Start to bring all that is written to stable storage; `poll_syncs` learns of its end."""
        self.write_pending()
        if not self.flushing.busy and self.recovery_point < self.file_end:
            self.flushing.begin(self.segments, self.file_end, [], now_ms)

    def flush(self) -> None:
        """Return when all records are on stable storage.

        Raises:
            StorageError: the log is offline from now on.
        """
        self.write_pending()
        self.sync()

    def begin_close(self) -> None:
        """Write all that is still to be written and start to sync it; `close` waits for that.

        Raises:
            StorageError: the log is offline.
        """
        self.write_pending()
        self.epochs.save()
        snapshots: list[str] = []
        if self.snapshot_offset < self.end_offset:
            snapshots = self._write_snapshot()
            self.snapshot_offset = self.end_offset
        if self._touched:
            self.segments.active.seal()
            self._touched = False
            self.flushing.begin(self.segments, self.file_end, snapshots, 0)

    def close(self, *, clean: bool) -> None:
        """Give all files back; if `clean`, everything is on stable storage before.

        Raises:
            StorageError: the log is offline, so it cannot be closed cleanly.
        """
        if clean:
            if self.failure is not None:
                raise self.offline()
            self.begin_close()
            self.flush()
        self.queue.clear()
        for segment in self.segments:
            segment.close()

    # --- Failure ------------------------------------------------------------------------------

    def drop_queued(self, error: StorageError) -> None:
        """Drop everything that is queued and could not be written.

        On a full disk that can be undone: written records are still served. Otherwise the log is
        offline.
        """
        self.queue.clear()
        if not isinstance(error, DiskFull):
            self.fail(error)
            return
        # Imported late: it opens logs, and disks are seldom full.
        from barnabas.log.partition.unwritten import undo_unwritten

        self.refusal = error
        try:
            undo_unwritten(self)
        except StorageError as failure:
            self.fail(failure)
