"""LogCreation: makes empty logs in the directories of `log.dirs`."""

import contextlib
from functools import partial

from barnabas.errors import LogDirFailed, StorageError
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.directories.directories import LogDirectories
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory_keeper import InventoryKeeper
from barnabas.log.file_names import DELETED_DIRECTORY, has_directory, partition_directory
from barnabas.log.future_logs import FutureLogs
from barnabas.log.log_table import LogTable
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import LogOrigin, create_log, open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.ports import Clock, Disk, Entropy
from barnabas.types import TopicPartition


class LogCreation:
    """Makes logs, and notes in a directory's inventory when their names are on stable storage."""

    def __init__(
        self,
        ports: tuple[Disk, Clock, Entropy],
        directories: LogDirectories,
        keeper: InventoryKeeper,
        futures: FutureLogs,
        table: LogTable,
    ) -> None:
        self._disk, self._clock, self._entropy = ports
        self._directories = directories
        self._keeper = keeper
        self._futures = futures
        self._table = table

    def create(
        self, partition: TopicPartition, topic_id: bytes, config: LogConfig, origin: LogOrigin
    ) -> PartitionLog:
        """Make an empty log in the directory that has the fewest, or the next that takes it.

        Raises:
            StorageError: it cannot be made in any; nothing is left of it that counts.
        """
        if not has_directory(partition):
            # Names from clients are checked before; a controller's are not.
            raise StorageError(
                f"{partition_directory(partition)!r} cannot be a directory of its own"
            )
        self._futures.drop(partition)
        failure: StorageError = LogDirFailed("no log directory can be used")
        origin = origin._replace(on_named=partial(self._on_named, partition))
        for directory in self._futures.choices(partition, self._directories.for_new()):
            path = directory.partition_path(partition)
            was_there = self._disk.exists(path)
            try:
                if directory.has_checkpoint(partition):
                    # It was deleted just now: after a crash its recovery point would be taken for the
                    # new one's.
                    directory.write_checkpoints()
                self._keeper.renew(directory, partition)
                log = self._made(directory, partition, topic_id, config, origin)
            except StorageError as error:
                failure = error
                if was_there:
                    break  # The next start must not find it in two directories.
                with contextlib.suppress(StorageError):
                    self._disk.remove(path)
                if self._disk.exists(path):
                    break
            else:
                log.segments.active.created_ms = self._clock.time_ms()
                self._keeper.take(directory, partition)
                self._keeper.replaced(partition, directory)
                self._table.put(log, directory)
                if log.flushing.named_to >= 0:
                    self._keeper.made(log, directory)
                self._on_named(partition)  # A disk without a loop has synced it already.
                return log
        raise failure

    def _made(
        self,
        directory: LogDirectory,
        partition: TopicPartition,
        topic_id: bytes,
        config: LogConfig,
        origin: LogOrigin,
    ) -> PartitionLog:
        """An empty log in a directory.

        One that continues after lost records is there whole or not at all: with half of its files a start
        would begin at offset 0 again.
        """
        path = directory.partition_path(partition)
        if not origin.offset:
            return create_log(self._disk, partition, path, config, topic_id, origin)
        unfinished = directory.renamed_path(partition, self._entropy.uuid(), DELETED_DIRECTORY)
        create_log(self._disk, partition, unfinished, config, topic_id, origin).close(clean=True)
        self._disk.rename(unfinished, path)
        at = origin.offset
        log = open_log(self._disk, partition, path, config, Checkpoint(at, at, clean=True))
        if log.failure is not None:
            log.close(clean=False)
            raise log.failure
        return log

    def _on_named(self, partition: TopicPartition) -> None:
        """The names of a new log may be on stable storage."""
        log = self._table.logs.get(partition)
        if log is not None and log.failure is None and log.flushing.named_to < 0:
            with contextlib.suppress(StorageError):  # It is offline, then.
                log.poll_syncs()
            if log.flushing.named_to >= 0:
                self._keeper.made(log, self._table.places[partition])
