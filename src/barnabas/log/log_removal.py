"""LogRemoval: deletes logs, or renames their directories so that they are not served any more."""

import contextlib

from barnabas.errors import LogDirFailed, StorageError
from barnabas.log.directories.inventory_keeper import InventoryKeeper
from barnabas.log.directories.removals import Removals
from barnabas.log.file_names import DELETED_DIRECTORY, STRAY_DIRECTORY
from barnabas.log.future_logs import FutureLogs
from barnabas.log.log_table import LogTable
from barnabas.log.lost_logs import LostLogs
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.ports import Clock, Disk, Entropy
from barnabas.types import TopicPartition


class LogRemoval:
    """Removes logs. The files of deleted ones stay for `file.delete.delay.ms`."""

    def __init__(
        self,
        ports: tuple[Disk, Clock, Entropy],
        keeper: InventoryKeeper,
        removals: Removals,
        futures: FutureLogs,
        lost: LostLogs,
        table: LogTable,
    ) -> None:
        self._disk, self._clock, self._entropy = ports
        self._keeper = keeper
        self._removals = removals
        self._futures = futures
        self._lost = lost
        self._table = table

    def delete(self, partition: TopicPartition, *, durable: bool = True) -> None:
        """Delete a log; its files are removed after `file.delete.delay.ms`.

        A log whose directory was already removed is deleted, too. If the whole data directory is
        missing, the disk may return with the log. If not `durable`, a power failure may restore it
        until `sync_directories`.

        Raises:
            StorageError: its directory cannot be renamed; it stays.
        """
        self._futures.drop(partition)
        if partition in self._lost:
            self._lost.delete(partition)
            del self._table.logs[partition]
            return
        directory = self._table.places[partition]
        gone, log = self._move_away(partition, DELETED_DIRECTORY, durable=durable)
        with contextlib.suppress(StorageError):  # It is written before another log takes its place.
            self._keeper.gone(directory, partition, durable=durable)
        self._removals.add(
            self._clock.time_ms(), log.config.file_delete_delay_ms, [gone], list(log.segments)
        )

    def set_aside(self, partition: TopicPartition) -> str:
        """Stop serving a log and rename its directory; return the new path. Its files stay.

        Raises:
            StorageError: its directory cannot be renamed; it stays.
        """
        self._futures.drop(partition)
        if partition in self._lost:
            self._lost.give_up(partition)
            return self._table.logs.pop(partition).directory
        path, log = self._move_away(partition, STRAY_DIRECTORY, durable=True)
        for segment in log.segments:
            segment.close()
        return path

    def _move_away(
        self, partition: TopicPartition, suffix: str, *, durable: bool
    ) -> tuple[str, PartitionLog]:
        log, directory = self._table.logs[partition], self._table.places[partition]
        path = directory.renamed_path(partition, self._entropy.uuid(), suffix)
        if self._disk.exists(log.directory) or not self._disk.exists(directory.path):
            self._disk.rename(log.directory, path, durable=durable)
        self._table.take(partition)
        self._keeper.take(directory, partition)
        log.fail(LogDirFailed(f"partition {partition.topic}-{partition.partition} was moved away"))
        return path, log
