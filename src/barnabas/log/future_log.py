"""FutureLog: the copy of a log in another directory, until it replaces the log (KIP-113).

*Not* here: which logs are copied (`future_logs`), and when a slice is (`broker.replicas`).

Source: Kafka's ReplicaAlterLogDirsThread.
"""

import logging
from dataclasses import replace

from barnabas.errors import LogDirFailed, StorageError
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.copying import copy_slice
from barnabas.log.recovery.opening import open_log
from barnabas.log.recovery.truncation import truncate_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.ports import Clock, Disk

_log = logging.getLogger(__name__)

_NEVER = (1 << 63) - 1
_REST = 1 << 20
"""Bytes of a slice of what came since the last one."""


class FutureLog:
    """A copy, `log`, and the directory that it is made in. `source` is the log that it is a copy of."""

    def __init__(
        self, disk: Disk, clock: Clock, log: PartitionLog, directory: LogDirectory
    ) -> None:
        self._disk, self._clock = disk, clock
        self.log, self.directory = log, directory
        # Its high watermark is that of the log.
        log.on_counted = _keep

    def follow(self, source: PartitionLog) -> None:
        """Be cut wherever the log is."""
        self.log.high_watermark = min(source.high_watermark, self.log.end_offset)
        source.on_cut = self._cut

    def _cut(self, offset: int) -> None:
        if offset < self.log.end_offset and self.log.failure is None:
            try:
                truncate_log(self.log, offset)
            except StorageError as error:
                self.log.fail(error)
                fields = {**self.log.topic_partition._asdict(), "error": error}
                _log.error("copy of a log fails", extra=fields)

    def copy(self, source: PartitionLog, most_bytes: int) -> int:
        """Copy a slice; returns its bytes. 0: the copy has all that is written.

        Raises:
            DecodeError: a batch of the log is damaged.
            StorageError: the log cannot be read, or its copy not written.
        """
        self.log.poll_syncs()
        return copy_slice(source, self.log, most_bytes, self._clock.time_ms())

    def is_synced(self) -> bool:
        """Whether what was copied until the last call is on stable storage; begins to sync what is not.

        Raises:
            StorageError: it cannot be synced.
        """
        self.log.poll_syncs()
        if self.log.flushing.busy:
            return False
        if self.log.recovery_point >= self.log.end_offset:
            return True
        self.log.begin_flush(self._clock.time_ms())
        return False

    def finish(self, source: PartitionLog) -> PartitionLog:
        """Copy the rest, and open the copy again under the name of the log, all of it on stable storage.

        Raises:
            DecodeError, StorageError: it is a copy still.
        """
        source.write_pending()
        if source.written_end < source.file_end:
            source.flush()
        while copy_slice(source, self.log, _REST, self._clock.time_ms()):
            pass
        partition, end = self.log.topic_partition, self.log.end_offset
        path = self.directory.partition_path(partition)
        self.log.close(clean=True)
        self._disk.rename(self.log.directory, path)
        checkpoint = Checkpoint(
            end, source.start_offset, clean=True, high_watermark=source.high_watermark
        )
        found = open_log(self._disk, partition, path, source.config, checkpoint)
        if found.failure is None and found.end_offset == end:
            return found
        failure = found.failure or LogDirFailed(f"the copy ends at {found.end_offset}, not {end}")
        self.take_back(found)
        self.log.fail(failure)
        raise failure

    def take_back(self, found: PartitionLog) -> None:
        """Be a copy again: what `finish` has opened is not served. Raises StorageError."""
        found.close(clean=False)
        self._disk.rename(found.directory, self.log.directory)


def config_of_copy(config: LogConfig) -> LogConfig:
    """Nobody waits until each write to a copy is synced (`flush.messages`)."""
    return replace(config, flush_messages=_NEVER)


def _keep(_end: int) -> None:
    """What is written to a copy moves no high watermark."""
