"""All logs of a broker: open, create, delete, and the work that is due from time to time.

What is *not* here: which topics there should be, and when `maintain` is called (about once a
second).
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from barnabas.errors import LogDirFailed, StorageError
from barnabas.log.config import LogConfig
from barnabas.log.directory import LogDirectory
from barnabas.log.file_names import (
    DELETED,
    PARTITION_METADATA,
    SEGMENT_FILES,
    deleted_directory,
    uuid_text,
)
from barnabas.log.meta_properties import MetaProperties
from barnabas.log.opening import create_log, open_log
from barnabas.log.partition_log import PartitionLog
from barnabas.log.partition_metadata import encode_topic_id
from barnabas.log.removals import Removals
from barnabas.log.retention import drop_expired
from barnabas.log.schedule import Schedule
from barnabas.log.segment import Segment
from barnabas.ports import Clock, Disk, Entropy
from barnabas.types import TopicPartition

_LOGS_A_STEP = 256


class LogSettings(NamedTuple):
    """What a broker's properties say of its logs; the intervals under Kafka's names, in ms.

    `cluster_id` gives the one that new directories are of; empty: that of a new cluster.
    """

    node_id: int
    directories: Sequence[str]
    log_retention_check_interval_ms: int = 300_000
    log_flush_offset_checkpoint_interval_ms: int = 60_000
    producer_id_expiration_check_interval_ms: int = 600_000
    cluster_id: Callable[[], str] = str


class LogEvent(NamedTuple):
    """Something that an operator may want to know; `problem` where somebody must act.

    `loss`: data are gone, or missing, that nobody asked to go. No partition: it is of all of them.
    """

    partition: TopicPartition | None
    text: str
    problem: bool = False
    loss: bool = False


class LogManager:
    """The logs in all directories of `log.dirs`. Used from one thread.

    `cluster_id` (after `open`): the one that the directories name; made up for new ones.
    """

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
        self._directories = [LogDirectory(disk, path) for path in settings.directories]
        self._logs: dict[TopicPartition, PartitionLog] = {}
        self._places: dict[TopicPartition, LogDirectory] = {}
        self._removals = Removals(disk)
        self._retention = Schedule(settings.log_retention_check_interval_ms)
        self._checkpoints = Schedule(settings.log_flush_offset_checkpoint_interval_ms)
        self._expiry = Schedule(settings.producer_id_expiration_check_interval_ms)
        self.cluster_id = ""

    def open(self) -> list[LogEvent]:
        """Lock the directories and open every log in them, recovered where that is due.

        Raises:
            LogDirFailed: a directory is used by another broker, belongs to another node or cluster,
                or a partition is in two of them. No directory stays locked.
            StorageError: a log cannot be read.
        """
        try:
            return self._open()
        except StorageError:
            for log in self._logs.values():
                log.close(clean=False)
            self._let_go(clean=False)
            raise

    def _open(self) -> list[LogEvent]:
        events: list[LogEvent] = []
        for directory in self._directories:
            directory.open()
        self._settle_owners()
        for directory in self._directories:
            clean = directory.begin()
            self._removals.add(self._clock.time_ms(), 0, directory.deleted())
            for partition, checkpoint in directory.checkpoints(clean=clean).items():
                self._refuse_twice(partition, directory)
                log = open_log(
                    self._disk,
                    partition,
                    directory.partition_path(partition),
                    self._config_for(partition.topic),
                    checkpoint,
                )
                log.lead(max(log.leader_epoch, 0))
                self._logs[partition] = log
                self._places[partition] = directory
                events += [
                    LogEvent(partition, note, problem=log.failure is not None, loss=True)
                    for note in log.losses.notes
                ]
        now_ms = self._clock.time_ms()
        for schedule in (self._retention, self._checkpoints, self._expiry):
            schedule.begin(now_ms)
        return events

    def _settle_owners(self) -> None:
        """All directories must belong to this node and to one cluster."""
        owners = [directory.owner() for directory in self._directories]
        for directory, owner in zip(self._directories, owners, strict=True):
            if owner is not None and owner.node_id != self._settings.node_id:
                raise LogDirFailed(
                    f"log directory {directory.path} belongs to node {owner.node_id}, and this is"
                    f" node {self._settings.node_id}"
                )
        clusters = sorted({owner.cluster_id for owner in owners if owner and owner.cluster_id})
        if len(clusters) > 1:
            raise LogDirFailed(f"log directories belong to several clusters: {clusters}")
        known = clusters[0] if clusters else self._settings.cluster_id()
        self.cluster_id = known or uuid_text(self._entropy.uuid())
        for directory, owner in zip(self._directories, owners, strict=True):
            if owner is None or not (owner.cluster_id and owner.directory_id):
                directory_id = (owner and owner.directory_id) or uuid_text(self._entropy.uuid())
                directory.claim(
                    MetaProperties(self._settings.node_id, self.cluster_id, directory_id)
                )

    def _refuse_twice(self, partition: TopicPartition, directory: LogDirectory) -> None:
        other = self._places.get(partition)
        if other is not None:
            raise LogDirFailed(
                f"partition {partition.topic}-{partition.partition} is in {other.path} and in"
                f" {directory.path}"
            )

    # --- Logs ---------------------------------------------------------------------------------

    def get(self, partition: TopicPartition) -> PartitionLog | None:
        """The log of a partition, if there is one."""
        return self._logs.get(partition)

    def logs(self) -> Iterator[PartitionLog]:
        """All logs."""
        return iter(self._logs.values())

    def by_directory(self) -> dict[str, list[PartitionLog]]:
        """All logs, by the directory of `log.dirs` that they are in; empty directories too."""
        found: dict[str, list[PartitionLog]] = {each.path: [] for each in self._directories}
        for log in self._logs.values():
            found[self._places[log.topic_partition].path].append(log)
        return found

    def space(self, path: str) -> tuple[int, int]:
        """Bytes of the volume of a directory: all, and those that may still be written.

        Raises:
            StorageError: the directory cannot be looked at.
        """
        return self._disk.space(path)

    def create(self, partition: TopicPartition, topic_id: bytes, config: LogConfig) -> PartitionLog:
        """Make an empty log, in the directory that has the fewest.

        Raises:
            StorageError: it cannot be made; nothing is left of it that counts.
        """
        assert partition not in self._logs, f"{partition} exists"
        used = list(self._places.values())
        directory = min(self._directories, key=used.count)
        if directory.has_checkpoint(partition):
            # It was deleted just now: after a crash its recovery point would be taken for the new one's.
            self._write_checkpoints(directory)
        path = directory.partition_path(partition)
        log = create_log(self._disk, partition, path, config, topic_id)
        log.segments.active.created_ms = self._clock.time_ms()
        self._logs[partition] = log
        self._places[partition] = directory
        return log

    def identify(self, partition: TopicPartition, topic_id: bytes) -> None:
        """Write down the topic id of a log that has none: of an old Kafka, or torn by a power cut.

        Raises:
            StorageError: it cannot be written.
        """
        log = self._logs[partition]
        path = f"{log.directory}/{PARTITION_METADATA}"
        self._disk.replace_file(path, encode_topic_id(topic_id))
        log.topic_id = topic_id

    def delete(self, partition: TopicPartition, *, durable: bool = True) -> None:
        """Take a log away; its files are removed after `file.delete.delay.ms`.

        One whose directory somebody else has removed is taken away too. Where the whole data
        directory is missing the disk may be, and come back with the log. If not `durable`, a power
        cut may bring it back until `sync_directories`.

        Raises:
            StorageError: its directory cannot be renamed; it stays.
        """
        log = self._logs[partition]
        place = self._places[partition].path
        gone = f"{place}/{self._deleted_name(partition)}"
        if self._disk.exists(log.directory) or not self._disk.exists(place):
            self._disk.rename(log.directory, gone, durable=durable)
        del self._logs[partition], self._places[partition]
        log.fail(LogDirFailed(f"partition {partition.topic}-{partition.partition} was deleted"))
        self._removals.add(
            self._clock.time_ms(), log.config.file_delete_delay_ms, [gone], list(log.segments)
        )

    def sync_directories(self) -> None:
        """Bring to stable storage which logs there are.

        Raises:
            StorageError: a directory cannot be synced.
        """
        for directory in self._directories:
            if self._disk.exists(directory.path):
                self._disk.sync_directory(directory.path)

    def _deleted_name(self, partition: TopicPartition) -> str:
        return deleted_directory(partition, self._entropy.uuid())

    # --- Work from time to time ---------------------------------------------------------------

    def maintain(self, now_ms: int) -> list[LogEvent]:
        """Do what is due, all of it at once; see `maintain_in_steps`."""
        return [event for events in self.maintain_in_steps(now_ms) for event in events]

    def maintain_in_steps(self, now_ms: int) -> Iterator[list[LogEvent]]:
        """Do what is due: retention, flushes, checkpoints, removals, forgetting old producers.

        A step looks at a few hundred logs at most, and ends with one that gives up segments, so
        that clients are served meanwhile; it tells what is worth telling. A log whose disk fails
        goes offline; the others go on.
        """
        retention = self._retention.is_due(now_ms)
        expiry = self._expiry.is_due(now_ms)
        for number, log in enumerate(list(self._logs.values()), 1):
            if log.failure is not None:
                continue  # One that was deleted since this began has failed, too.
            events: list[LogEvent] = []
            try:
                self._maintain(log, now_ms, events, retention=retention, expiry=expiry)
            except StorageError as error:
                log.fail(error)
                events.append(LogEvent(log.topic_partition, f"is offline: {error}", problem=True))
            if events or number % _LOGS_A_STEP == 0:
                yield events
        if self._checkpoints.is_due(now_ms):
            self.write_checkpoints()
        for _removed in self._removals.run(now_ms):
            yield []

    def _maintain(
        self,
        log: PartitionLog,
        now_ms: int,
        events: list[LogEvent],
        *,
        retention: bool,
        expiry: bool,
    ) -> None:
        log.poll_syncs()
        if not 0 <= now_ms - log.flushing.begun_ms < log.config.flush_ms:
            log.begin_flush(now_ms)
        if expiry:
            log.producers.expire(now_ms, log.config.producer_id_expiration_ms)
        if retention:
            dropped = drop_expired(log, now_ms)
            if dropped:
                for segment in dropped:
                    segment.rename_to(DELETED)
                self.remove_later(log, dropped, now_ms)
                size = sum(segment.size for segment in dropped)
                text = f"dropped {len(dropped)} segments of {size} bytes before {log.start_offset}"
                events.append(LogEvent(log.topic_partition, text))

    def remove_later(self, log: PartitionLog, segments: Sequence[Segment], now_ms: int) -> None:
        """Remove segments taken out of a log, and renamed, after `file.delete.delay.ms`."""
        paths = [segment.stem + kind + DELETED for segment in segments for kind in SEGMENT_FILES]
        self._removals.add(now_ms, log.config.file_delete_delay_ms, paths, segments)

    def write_checkpoints(self) -> None:
        """Write down for the next start how far each log is."""
        for directory in self._directories:
            self._write_checkpoints(directory)

    def _write_checkpoints(self, directory: LogDirectory) -> None:
        directory.write_checkpoints(
            log for log in self._logs.values() if self._places[log.topic_partition] is directory
        )

    def close(self) -> list[LogEvent]:
        """Bring everything to stable storage and let the directories go.

        A log that is offline or fails now leaves its directory marked as not stopped in order, so
        that the next start recovers it.
        """
        events: list[LogEvent] = []
        for log in self._logs.values():
            with contextlib.suppress(StorageError):
                # What fails now fails again below. Meanwhile the disk works for all logs at once.
                log.begin_close()
        for partition, log in self._logs.items():
            try:
                log.close(clean=True)
            except StorageError as error:
                log.close(clean=False)
                events.append(LogEvent(partition, f"not closed in order: {error}", problem=True))
        try:
            self.write_checkpoints()
        except StorageError as error:
            events.append(LogEvent(None, f"checkpoints not written: {error}", problem=True))
        try:
            self._let_go(clean=not events)
        except StorageError as error:
            events.append(LogEvent(None, f"directories not closed in order: {error}", problem=True))
            self._let_go(clean=False)
        return events

    def _let_go(self, *, clean: bool) -> None:
        self._removals.close()
        for directory in self._directories:
            directory.close(clean=clean)
        self._logs.clear()
        self._places.clear()
