"""A log directory as a whole: its lock, owner and checkpoints, whether it was left in order."""

import contextlib
from collections.abc import Iterable, Mapping

from barnabas.errors import LockHeld, LogDirFailed, StorageError
from barnabas.log.checkpoints import (
    HIGH_WATERMARK,
    LOG_START,
    RECOVERY_POINT,
    Checkpoint,
    read_offsets,
    write_offsets,
)
from barnabas.log.file_names import (
    CLUSTER_METADATA,
    PARTITION_METADATA,
    is_deleted_directory,
    parse_partition_directory,
    partition_directory,
)
from barnabas.log.meta_properties import META_PROPERTIES, MetaProperties, parse_meta_properties
from barnabas.log.partition_log import PartitionLog
from barnabas.log.partition_metadata import parse_topic_id
from barnabas.ports import Disk
from barnabas.types import TopicPartition

_LOCK = ".lock"
_CLEAN = ".kafka_cleanshutdown"
_CLEAN_TEXT = b'{"version":0,"brokerEpoch":-1}'
_CONTROLLERS_ID = (1).to_bytes(16)
"""The topic id of a controller's own log, which a KRaft node keeps beside those of its topics."""


class LogDirectory:
    """One directory of `log.dirs`, held against other brokers between `open` and `close`."""

    def __init__(self, disk: Disk, path: str) -> None:
        self.path = path
        self._disk = disk
        self._held = contextlib.ExitStack()
        self._written: dict[str, dict[TopicPartition, int]] = {}

    def open(self) -> None:
        """Take the lock; make the directory if it is not there.

        Raises:
            LogDirFailed: another broker uses the directory, or it cannot be used at all.
        """
        self._disk.make_directory(self.path)
        try:
            self._held.enter_context(self._disk.lock(self._at(_LOCK)))
        except LockHeld as error:
            raise LogDirFailed(
                f"cannot use log directory {self.path}: another broker, or a Kafka, is running"
                f" on it ({error}): stop that one, or take another directory"
            ) from error
        except StorageError as error:
            raise LogDirFailed(f"cannot use log directory {self.path}: {error}") from error

    def begin(self) -> bool:
        """Count as running from now on; returns whether the broker before us stopped in order."""
        clean = self._disk.exists(self._at(_CLEAN))
        if clean:
            self._disk.remove(self._at(_CLEAN))
            self._disk.sync_directory(self.path)
        return clean

    def owner(self) -> MetaProperties | None:
        """Whose it is; None for a new one."""
        path = self._at(META_PROPERTIES)
        if not self._disk.exists(path):
            return None
        return parse_meta_properties(path, self._disk.read_file(path))

    def claim(self, owner: MetaProperties) -> None:
        """Write down whose it is."""
        self._disk.replace_file(self._at(META_PROPERTIES), owner.encode())

    def partitions(self) -> list[TopicPartition]:
        """The partitions that have a directory here."""
        names = map(parse_partition_directory, self._disk.list(self.path))
        return [name for name in names if name is not None and not self._is_controllers(name)]

    def _is_controllers(self, partition: TopicPartition) -> bool:
        """Whether a directory has a controller's own log. Brokers here have made topics of its name."""
        if partition.topic != CLUSTER_METADATA:
            return False
        path = f"{self.partition_path(partition)}/{PARTITION_METADATA}"
        there = self._disk.exists(path)
        return not there or parse_topic_id(self._disk.read_file(path)) in (None, _CONTROLLERS_ID)

    def deleted(self) -> list[str]:
        """Paths of partitions that were deleted and not yet removed."""
        return [self._at(name) for name in self._disk.list(self.path) if is_deleted_directory(name)]

    def partition_path(self, partition: TopicPartition) -> str:
        """Where a partition's files are or will be."""
        return self._at(partition_directory(partition))

    def checkpoints(self, *, clean: bool) -> Mapping[TopicPartition, Checkpoint]:
        """What is known of each partition before its files are looked at."""
        recovery = read_offsets(self._disk, self._at(RECOVERY_POINT))
        self._written[RECOVERY_POINT] = recovery
        # Or records that were deleted would be there again. A start behind the end does not count.
        starts = read_offsets(self._disk, self._at(LOG_START), also_of_damaged=True)
        ends = read_offsets(self._disk, self._at(HIGH_WATERMARK))
        return {
            each: Checkpoint(recovery.get(each, 0), starts.get(each, 0), clean, ends.get(each, -1))
            for each in self.partitions()
        }

    def has_checkpoint(self, partition: TopicPartition) -> bool:
        """Whether a recovery point is written down under this name, be it of a log that is gone."""
        return partition in self._written.get(RECOVERY_POINT, ())

    def write_checkpoints(self, logs: Iterable[PartitionLog]) -> None:
        """Write recovery points, log starts and high watermarks, those that changed."""
        known = list(logs)
        self._write(RECOVERY_POINT, {log.topic_partition: log.flushing.sure_point for log in known})
        self._write(HIGH_WATERMARK, {log.topic_partition: log.written_end for log in known})
        self._write(
            LOG_START,
            {
                log.topic_partition: log.start_offset
                for log in known
                if log.start_offset > log.segments.first.base_offset
            },
        )

    def _write(self, name: str, offsets: dict[TopicPartition, int]) -> None:
        if self._written.get(name) != offsets:
            write_offsets(self._disk, self._at(name), offsets)
            self._written[name] = offsets

    def close(self, *, clean: bool) -> None:
        """Let others have it. `clean`: all its logs are closed and on stable storage."""
        if clean:
            self._disk.replace_file(self._at(_CLEAN), _CLEAN_TEXT)
        self._held.close()

    def _at(self, name: str) -> str:
        return f"{self.path}/{name}"
