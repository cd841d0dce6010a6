"""The end of what counts as written in a log whose records must be synced first (`flush.messages`)."""

from collections.abc import Callable
from contextlib import suppress

from barnabas.errors import StorageError
from barnabas.log.partition.log_state import LogState


class SeenEnd:
    """Moves a log's `written_end` when it may be moved; one sync at a time, for all there is.

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
