"""LogManager: opens, creates and deletes all logs of a broker.

Its users decide which topics exist, and call `maintain` about once a second.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from barnabas.errors import LogDirFailed, SegmentsMissing, StorageError
from barnabas.log.directories.directories import LogDirectories
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory_keeper import InventoryKeeper
from barnabas.log.directories.partition_metadata import encode_topic_id
from barnabas.log.directories.removals import Removals
from barnabas.log.file_names import (
    PARTITION_METADATA,
)
from barnabas.log.future_logs import FutureLogs
from barnabas.log.log_creation import LogCreation
from barnabas.log.log_removal import LogRemoval
from barnabas.log.log_start import LogEvent, LogSettings, LogStart
from barnabas.log.log_table import LogTable
from barnabas.log.lost_logs import LostLogs, origin_of
from barnabas.log.maintenance import LogMaintenance, not_written
from barnabas.log.partition.offline_log import OfflineLog
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.giving_up import reopen
from barnabas.log.recovery.opening import BEGINNING
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.segment import Segment
from barnabas.ports import Clock, Disk, Entropy, Sync
from barnabas.types import TopicPartition


class LogManager:
    """The logs in all directories of `log.dirs`. Used from one thread."""

    def __init__(
        self,
        disk: Disk,
        clock: Clock,
        entropy: Entropy,
        settings: LogSettings,
        config_for: Callable[[str], LogConfig],
    ) -> None:
        self._disk = disk
        self._clock = clock
        self._entropy = entropy
        self._settings = settings
        self._config_for = config_for
        self._directories = LogDirectories(disk, entropy, settings.directories)
        self._keeper = InventoryKeeper(disk, entropy, self._directories)
        self._lost = LostLogs(disk, self._directories, self._keeper)
        self._table = LogTable()
        self._removals = Removals(disk)
        self._maintenance = LogMaintenance(
            settings, self._directories, self._keeper, self._removals
        )
        self.futures = FutureLogs(
            (disk, clock, entropy), self._directories, self._keeper, self._removals,
            self._table.logs, self._table.places,
        )  # fmt: skip
        """Copies of logs on their way to another directory."""
        self.futures.on_moved = self._maintenance.note
        self._creation = LogCreation(
            (disk, clock, entropy), self._directories, self._keeper, self.futures, self._table
        )
        self._removal = LogRemoval(
            (disk, clock, entropy), self._keeper, self._removals, self.futures, self._lost,
            self._table,
        )  # fmt: skip

    @property
    def cluster_id(self) -> str:
        """The one that the directories name; made up for new ones."""
        return self._directories.cluster_id

    @property
    def usable_paths(self) -> list[str]:
        """The directories of `log.dirs` that are not offline."""
        return [directory.path for directory in self._directories.usable]

    def open(self, on_locked: Callable[[], None] = lambda: None) -> list[LogEvent]:
        """Lock the directories and open every log in them, after recovery if necessary.

        An unusable directory or log is offline alone. `on_locked` is called before the properties
        of a topic are requested.

        Raises:
            LogDirFailed: a directory is used by another broker, belongs to another node or cluster,
                a partition is in two of them, or none is usable. No directory stays locked.
            StorageError: raised by `on_locked`.
        """
        found = LogStart(self._disk, self._entropy, self._settings, self._directories, self._keeper)
        try:
            found.run(on_locked, self._config_for)
        except StorageError:
            for log, _ in found.placed.values():
                log.close(clean=False)
            for directory in self._directories.all:
                directory.in_order = False
            self._let_go()
            raise
        for log, directory in found.placed.values():
            self._table.put(log, directory)
        found.events += self.futures.open(self._config_for)
        now_ms = self._clock.time_ms()
        self._removals.add(now_ms, 0, found.removable)
        self._removals.add(now_ms, 0, found.evidence, of_inventory=True)
        self._maintenance.is_news = found.finds_news
        if self._keeper.misses_directories:
            found.events += map(not_written, self._keeper.save())
        self._maintenance.begin(now_ms)
        return found.events

    # --- Logs ---------------------------------------------------------------------------------

    def get(self, partition: TopicPartition) -> PartitionLog | None:
        """The log of a partition, if there is one."""
        return self._table.logs.get(partition)

    def logs(self) -> Iterator[PartitionLog]:
        """All logs."""
        return iter(self._table.logs.values())

    def by_directory(self) -> dict[str, list[PartitionLog]]:
        """All logs, by the directory of `log.dirs` that they are in; empty directories too."""
        return {each.path: [*each.logs.values()] for each in self._directories.all}

    def space(self, path: str) -> tuple[int, int]:
        """Bytes of the volume of a directory: all, and those that may still be written.

        Raises:
            StorageError: the directory cannot be looked at, or is offline.
        """
        for directory in self._directories.all:
            if directory.path == path and directory.failure is not None:
                raise directory.failure
        return self._disk.space(path)

    def find_lost(
        self,
        partition: TopicPartition,
        topic_id: bytes,
        config: LogConfig,
        *,
        is_new: bool = False,
        has_replicas: bool = False,
    ) -> PartitionLog | None:
        """Return an offline stand-in for a log that the broker had and did not find; None if it had none.

        `is_new`: the topic is being created now. `has_replicas`: as for `LostLogs.find`.
        """
        log = self._lost.find(partition, topic_id, config, is_new=is_new, has_replicas=has_replicas)
        if log is not None:
            self._table.logs[partition] = log
        return log

    def lost_indexes(self, topic: str, topic_id: bytes) -> set[int]:
        """The partitions of a topic that the broker had and did not find."""
        return self._lost.indexes(topic, topic_id)

    def check_room(self) -> None:
        """Whether new logs can be made; raises DiskFull where no directory has room."""
        self._directories.check_room()

    def create(self, partition: TopicPartition, topic_id: bytes, config: LogConfig) -> PartitionLog:
        """Make an empty log; see `LogCreation.create`."""
        assert partition not in self._table.logs, f"{partition} exists"
        return self._creation.create(partition, topic_id, config, BEGINNING)

    def give_up(
        self, partition: TopicPartition, topic_id: bytes, config: LogConfig
    ) -> PartitionLog:
        """Serve a partition again without its lost records, with those that remain.

        It continues after each offset that it has assigned.

        Raises:
            StorageError: nothing of it is lost, so a restart restores it; or it cannot be written.
        """
        log = self._table.logs[partition]
        if not isinstance(log, OfflineLog):
            raise LogDirFailed(f"{log.directory} is there: a restart of the broker brings it back")
        self._maintenance.is_news = True
        self.futures.drop(partition)
        if partition in self._lost:
            origin = self._lost.origin(partition)
            del self._table.logs[partition]
            try:
                made = self._creation.create(partition, topic_id, config, origin)
            except StorageError:
                self._table.logs[partition] = log
                raise
            self._lost.made_anew(partition)
            return made
        directory = self._table.places[partition]
        known = self._keeper.known(directory, partition)
        origin = origin_of(log, known, is_exact=self._keeper.is_exact(directory, known))
        if isinstance(log.failure, SegmentsMissing):
            found = reopen(log, config, origin, self._clock.time_ms())
            self._keeper.take(directory, partition)
            self._table.put(found, directory)
            self._keeper.made(found, directory)
            return found
        self.set_aside(partition)
        if known is not None:
            # Until the new log is there, a start must know where this one has ended.
            self._keeper.put_back(directory, partition, known)
        return self._creation.create(partition, topic_id, config, origin)

    def identify(self, partition: TopicPartition, topic_id: bytes) -> None:
        """Give a log a topic id that has none: of an old Kafka, or torn by a power cut.

        Raises:
            StorageError: it has it, but it cannot be written.
        """
        log = self._table.logs[partition]
        log.topic_id = topic_id
        if log.failure is None:
            path = f"{log.directory}/{PARTITION_METADATA}"
            self._disk.replace_file(path, encode_topic_id(topic_id))

    def delete(self, partition: TopicPartition, *, durable: bool = True) -> None:
        """See `LogRemoval.delete`."""
        self._removal.delete(partition, durable=durable)

    def set_aside(self, partition: TopicPartition) -> str:
        """See `LogRemoval.set_aside`."""
        return self._removal.set_aside(partition)

    def sync_directories(self) -> None:
        """Bring to stable storage which logs there are.

        Raises:
            StorageError: a directory cannot be synced.
        """
        for directory in self._directories.usable:
            if self._disk.exists(directory.path):
                self._disk.sync_directory(directory.path)
        self._keeper.sync()

    def begin_sync_directories(self, on_over: Callable[[], None]) -> Sync:
        """Begin `sync_directories` beside the loop; `on_over` as for `Disk.begin_sync`.

        Raises:
            StorageError: it cannot be begun.
        """
        paths = [each.path for each in self._directories.usable if self._disk.exists(each.path)]
        return self._disk.begin_sync(self._keeper.open_files(), paths, on_over)

    # --- Work from time to time ---------------------------------------------------------------

    def maintain(self, now_ms: int) -> list[LogEvent]:
        """Do all that is due at once; see `maintain_in_steps`."""
        return [event for events in self.maintain_in_steps(now_ms) for event in events]

    def maintain_in_steps(self, now_ms: int) -> Iterator[list[LogEvent]]:
        """Do what is due: retention, flushes, checkpoints, removals, expiry of producers.

        A step handles at most a few hundred logs, and ends after one that drops segments, so that
        clients are served meanwhile. It yields what an operator should know. A log whose disk fails
        goes offline; the others continue.
        """
        return self._maintenance.steps(list(self._table.logs.values()), self._table.places, now_ms)

    def remove_later(self, log: PartitionLog, segments: Sequence[Segment], now_ms: int) -> None:
        """Remove segments taken out of a log, and renamed, after `file.delete.delay.ms`."""
        self._maintenance.remove_later(log, segments, now_ms)

    def write_checkpoints(self) -> list[LogEvent]:
        """Write down for the next start how far each log is; gives what could not be written."""
        return self._maintenance.write_checkpoints()

    def close(self) -> list[LogEvent]:
        """Bring everything to stable storage and let the directories go.

        A log that is offline or fails now leaves its directory marked as not stopped in order, so
        that the next start recovers it.
        """
        events: list[LogEvent] = []
        for log in self._table.logs.values():
            with contextlib.suppress(StorageError):
                # What fails now fails again below. Meanwhile the disk works for all logs at once.
                log.begin_close()
        unclean: set[LogDirectory] = set()
        for partition, log in self._table.logs.items():
            try:
                log.close(clean=True)
            except StorageError as error:
                log.close(clean=False)
                unclean.add(self._table.places[partition])
                events.append(LogEvent(partition, f"not closed in order: {error}", problem=True))
        events += self.futures.close(unclean)
        events += self.write_checkpoints()
        for directory in unclean:
            directory.in_order = False
        events += map(not_written, self._keeper.save(clean=True))
        return events + self._let_go()

    def abandon(self) -> None:
        """Let the directories go without writing anything, as a kill does: the next start recovers them."""
        for log in self._table.logs.values():
            log.close(clean=False)
        self.futures.abandon()
        for directory in self._directories.all:
            directory.in_order = False
        self._let_go()

    def _let_go(self) -> list[LogEvent]:
        events: list[LogEvent] = []
        self._removals.close()
        self._keeper.close()
        for directory in self._directories.all:
            try:
                directory.close()
            except StorageError as error:
                what = f"directory {directory.path} not closed in order: {error}"
                events.append(LogEvent(None, what, problem=True))
        self._table.clear()
        return events
