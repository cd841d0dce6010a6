"""FutureLogs: copies of logs in other directories, which replace them when complete (KIP-113).

A copy is in a directory `TOPIC-PARTITION.ID-future`, as Kafka's is, and outlives a restart. It is cut where
the log is, so that both have the same records. *Not* here: when a slice is copied (`broker.replicas`).

Source: Kafka's LogManager.replaceCurrentWithFutureLog.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

from barnabas.errors import BrokerError, ErrorCode, LogDirFailed, StorageError
from barnabas.log.directories.directories import LogDirectories
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory_keeper import InventoryKeeper
from barnabas.log.directories.removals import Removals
from barnabas.log.file_names import (
    DELETED_DIRECTORY,
    FUTURE_DIRECTORY,
    parse_future_directory,
)
from barnabas.log.future_log import FutureLog, config_of_copy
from barnabas.log.log_start import LogEvent
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.copying import agreed_end
from barnabas.log.recovery.opening import LogOrigin, create_log, open_log
from barnabas.log.recovery.truncation import truncate_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.ports import Clock, Disk, Entropy
from barnabas.types import TopicPartition

_log = logging.getLogger(__name__)


class FutureLogs:
    """The copies that are being made. `logs` and `places` are the manager's: logs, and their directories."""

    def __init__(
        self,
        ports: tuple[Disk, Clock, Entropy],
        directories: LogDirectories,
        keeper: InventoryKeeper,
        removals: Removals,
        logs: Mapping[TopicPartition, PartitionLog],
        places: dict[TopicPartition, LogDirectory],
    ) -> None:
        self._disk, self._clock, self._entropy = ports
        self._directories, self._keeper, self._removals = directories, keeper, removals
        self._logs, self._places = logs, places
        self._futures: dict[TopicPartition, FutureLog] = {}
        self._wanted: dict[TopicPartition, LogDirectory] = {}
        self.on_moved: Callable[[], None] = lambda: None
        """Is called when a log has another directory."""

    # --- At the start and at the stop ---------------------------------------------------------

    def open(self, config_for: Callable[[str], LogConfig]) -> list[LogEvent]:
        """Continue the copies that the last run left; the logs are open, and nothing was appended since."""
        events: list[LogEvent] = []
        for directory in self._directories.usable:
            for path, partition, checkpoint in directory.found_futures:
                log = self._logs.get(partition)
                is_served_here = self._places.get(partition) is directory
                if partition in self._futures or is_served_here:
                    self._removals.add(self._clock.time_ms(), 0, [path])
                    continue
                config = config_of_copy(config_for(partition.topic))
                future = open_log(self._disk, partition, path, config, checkpoint)
                is_other = log is not None and log.topic_id != future.topic_id
                if future.failure is not None or is_other:
                    what = future.failure or "it is of another topic of that name"
                    text = f"is not moved on to {directory.path}: {what}"
                    events.append(LogEvent(partition, text, problem=not is_other))
                    future.close(clean=False)
                    continue
                self._have(future, directory)
                if log is not None and log.failure is None:
                    truncate_log(future, agreed_end(log, future))
        return events

    def close(self, unclean: set[LogDirectory]) -> list[LogEvent]:
        """Bring the copies to stable storage; `unclean` receives the directories where that fails."""
        events: list[LogEvent] = []
        for partition, future in self._futures.items():
            try:
                future.log.close(clean=True)
            except StorageError as error:
                future.log.close(clean=False)
                unclean.add(future.directory)
                what = f"copy not closed in order: {error}"
                events.append(LogEvent(partition, what, problem=True))
        return events

    def abandon(self) -> None:
        """Let go of the files, as a kill does."""
        for future in self._futures.values():
            future.log.close(clean=False)

    # --- What is moved ------------------------------------------------------------------------

    def __iter__(self) -> Iterator[TopicPartition]:
        """Those that can be copied on."""
        for partition, future in self._futures.items():
            log, copy = self._logs.get(partition), future.log
            if log is None or log.failure is not None or copy.failure is not None:
                continue
            if copy.refusal is not None and future.directory.has_room():
                copy.refusal = None
            if copy.refusal is None:
                yield partition

    def __len__(self) -> int:
        """How many copies there are."""
        return len(self._futures)

    def get(self, partition: TopicPartition) -> PartitionLog | None:
        """The copy of a partition, if one is being made."""
        future = self._futures.get(partition)
        return future.log if future is not None else None

    def in_directory(self, path: str) -> list[PartitionLog]:
        """The copies in a directory of `log.dirs`."""
        return [each.log for each in self._futures.values() if each.directory.path == path]

    def directory_at(self, path: str) -> LogDirectory:
        """The directory of `log.dirs` with this path.

        Raises:
            BrokerError: LOG_DIR_NOT_FOUND: there is none.
            StorageError: it is offline.
        """
        for directory in self._directories.all:
            if directory.path == path:
                if directory.failure is not None:
                    raise directory.failure
                return directory
        raise BrokerError(ErrorCode.LOG_DIR_NOT_FOUND, f"{path} is not in log.dirs")

    def prefer(self, partition: TopicPartition, path: str) -> None:
        """Have a log that is not there yet made in a directory. Raises as `directory_at`."""
        self._wanted[partition] = self.directory_at(path)

    def choices(
        self, partition: TopicPartition, directories: Sequence[LogDirectory]
    ) -> list[LogDirectory]:
        """The directories for a new log, that which was preferred first."""
        wanted = self._wanted.pop(partition, None)
        return sorted(directories, key=lambda each: each is not wanted)

    def begin(self, partition: TopicPartition, path: str) -> None:
        """Begin to move a log to a directory; back to its own: move it nowhere. A move to another one ends.

        Raises:
            BrokerError: LOG_DIR_NOT_FOUND; INVALID_TOPIC_EXCEPTION: the name is too long for a copy;
                POLICY_VIOLATION: offsets of the log are byte positions.
            StorageError: a directory or the log is offline, or the copy cannot be made.
        """
        directory, log = self.directory_at(path), self._logs[partition]
        if log.failure is not None:
            raise log.offline()
        known = self._futures.get(partition)
        if known is not None:
            if known.directory is directory and known.log.failure is None:
                return
            self.cancel(partition)
        if self._places[partition] is directory:
            return
        if log.config.byte_positions:
            what = "logs of Kafka 0.7's format stay where they are: stop the broker to move their files"
            raise BrokerError(ErrorCode.POLICY_VIOLATION, what)
        for each in self._directories.all:
            if each.failure is not None:
                # As in Kafka: there may be a copy in it.
                raise LogDirFailed(f"{each.path} is offline: nothing is moved meanwhile")
        self._have(self._created(partition, log, directory), directory)

    def _created(
        self, partition: TopicPartition, log: PartitionLog, directory: LogDirectory
    ) -> PartitionLog:
        path = directory.renamed_path(partition, self._entropy.uuid(), FUTURE_DIRECTORY)
        if parse_future_directory(path.rpartition("/")[2]) != partition:
            what = f"{partition.topic} is too long a name for a log that is moved"
            raise BrokerError(ErrorCode.INVALID_TOPIC_EXCEPTION, what)
        if directory.has_checkpoint(partition):
            # Of a log that was there before: it would be taken for the recovery point of this one.
            directory.write_checkpoints()
        config = config_of_copy(log.config)
        origin = LogOrigin(max(log.epochs.at(log.start_offset), 0), log.start_offset)
        try:
            return create_log(self._disk, partition, path, config, log.topic_id, origin)
        except StorageError:
            self._disk.remove(path)
            raise

    def _have(self, copy: PartitionLog, directory: LogDirectory) -> None:
        partition = copy.topic_partition
        future = self._futures[partition] = FutureLog(self._disk, self._clock, copy, directory)
        directory.futures[partition] = copy
        log = self._logs.get(partition)
        if log is not None:
            future.follow(log)

    def cancel(self, partition: TopicPartition) -> None:
        """Move a partition no more, if it is moved; its copy goes.

        Raises:
            StorageError: the copy cannot be renamed: the next start would continue it.
        """
        future = self._take(partition)
        if future is None:
            return
        segments = list(future.log.segments)
        for segment in segments:
            segment.close()
        gone = future.directory.renamed_path(partition, self._entropy.uuid(), DELETED_DIRECTORY)
        self._disk.rename(future.log.directory, gone)
        self._removals.add(self._clock.time_ms(), 0, [gone])

    def drop(self, partition: TopicPartition) -> None:
        """As `cancel`, of a log that goes itself: a copy that cannot be renamed stays, and is of no log."""
        try:
            self.cancel(partition)
        except StorageError as error:
            _log.warning("copy of a log left behind", extra={**partition._asdict(), "error": error})

    def _take(self, partition: TopicPartition) -> FutureLog | None:
        future = self._futures.pop(partition, None)
        if future is not None:
            del future.directory.futures[partition]
            log = self._logs.get(partition)
            if log is not None:
                log.on_cut = None
        return future

    # --- Copying ------------------------------------------------------------------------------

    def lag(self, partition: TopicPartition) -> int:
        """Offsets of the log that its copy does not have; -1: the log cannot be read."""
        log, future = self._logs.get(partition), self._futures[partition].log
        if log is None or log.failure is not None:
            return -1
        return log.end_offset - future.end_offset

    def copy(self, partition: TopicPartition, most_bytes: int) -> int:
        """Copy a slice, as `FutureLog.copy`."""
        return self._futures[partition].copy(self._logs[partition], most_bytes)

    def is_synced(self, partition: TopicPartition) -> bool:
        """As `FutureLog.is_synced`."""
        return self._futures[partition].is_synced()

    def swap(self, partition: TopicPartition) -> None:
        """Copy the rest of a log, and serve it from its copy; the files before go.

        Raises:
            DecodeError, StorageError: it is served from where it was.
        """
        log, future = self._logs[partition], self._futures[partition]
        before = log.directory
        gone = self._places[partition].renamed_path(
            partition, self._entropy.uuid(), DELETED_DIRECTORY
        )
        self._keeper.renew(future.directory, partition)
        found = future.finish(log)
        try:
            segments = log.take_files(found)
        except StorageError:
            future.take_back(found)
            raise
        self._take(partition)
        self._put(log, future.directory)
        try:
            self._disk.rename(before, gone)
        except StorageError as error:
            fields = {**partition._asdict(), "directory": before, "error": error}
            _log.error("files of a moved log are left behind", extra=fields)
            gone = before
        # Readers may still send from those that have records; of empty logs a client could leave thousands.
        for segment in segments:
            if not segment.size:
                segment.close()
        segments = [segment for segment in segments if segment.size]
        delay_ms = log.config.file_delete_delay_ms
        self._removals.add(self._clock.time_ms(), delay_ms, [gone], segments)

    def _put(self, log: PartitionLog, directory: LogDirectory) -> None:
        partition = log.topic_partition
        before = self._places[partition]
        del before.logs[partition]
        directory.logs[partition] = log
        self._places[partition] = directory
        self._keeper.take(directory, partition)
        self._keeper.moved(log, before, directory)
        self.on_moved()
