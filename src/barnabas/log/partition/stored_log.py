"""The files of one partition: write queued batches, know when they count, roll segments, sync and close.

*Not* here: what may be queued, and reading (`partition_log`).
"""

from collections.abc import Callable
from contextlib import suppress

from barnabas.errors import DiskFull, StorageError
from barnabas.log.partition.log_state import LogState
from barnabas.log.producers.producer_snapshot import write_snapshot
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.segment import Segment
from barnabas.ports import Disk
from barnabas.types import TopicPartition


class StoredLog(LogState):
    """A log whose files can be written."""

    __slots__ = ("end_updater",)

    def __init__(
        self, disk: Disk, topic_partition: TopicPartition, directory: str, config: LogConfig
    ) -> None:
        super().__init__(disk, topic_partition, directory, config)
        self.end_updater = WrittenEndUpdater(self)

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
        self.end_updater.wrote()

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
        is_unsynced = self._touched or bool(self.flushing.unsynced)
        if self._touched:
            self.segments.active.seal()
            self._touched = False
        if is_unsynced:
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


class WrittenEndUpdater:
    """Advances a log's `written_end` as `flush.messages` allows; one sync at a time, for all records.

    `on_moved` is called after a sync, when it has moved or the log went offline. Without it the
    log waits for its syncs.
    """

    __slots__ = ("_log", "_syncing", "on_moved")

    def __init__(self, log: LogState) -> None:
        self._log = log
        self._syncing = False
        self.on_moved: Callable[[], None] | None = None

    def wrote(self) -> None:
        """Something new is in the file.

        Raises:
            StorageError: it cannot be synced; the log is offline.
        """
        log = self._log
        if self._syncing:
            return
        # As `_too_much_unsynced`: each write comes here.
        if log.file_end - log.flushing.recovery_point < log.config.flush_messages:
            log.count_to(log.file_end)
        elif self.on_moved is None:
            log.sync()
        else:
            self._sync()

    def _too_much_unsynced(self) -> bool:
        log = self._log
        return log.file_end - log.flushing.recovery_point >= log.config.flush_messages

    def _sync(self) -> None:
        log = self._log
        self._syncing = True
        try:
            # With the next records, which come while this is under way, another begins.
            log.flushing.begin(
                log.segments, log.file_end, [], log.flushing.begun_ms, self._on_synced
            )
            log.flushing.poll()
        except StorageError as error:
            self._syncing = False
            log.fail(error)
            raise
        if log.recovery_point >= log.file_end:
            # It is over already. That `_on_synced` may still come does no harm.
            self._syncing = False
            log.count_to(log.file_end)

    def _on_synced(self) -> None:
        log = self._log
        self._syncing = False
        # A failure takes the log offline; the notified listener finds that out.
        with suppress(StorageError):
            log.poll_syncs()
            if log.failure is None and self._too_much_unsynced():
                log.count_to(max(log.written_end, log.recovery_point))
                self._sync()
            elif log.failure is None:
                log.count_to(log.file_end)
        if self.on_moved is not None:
            self.on_moved()
