"""A log directory as a whole: its lock, owner and checkpoints, whether it was left in order."""

import contextlib
import zlib
from collections.abc import Callable, Mapping

from barnabas.errors import LockHeld, LogDirFailed, LogDirInUse, StorageError
from barnabas.log.directories.checkpoints import (
    HIGH_WATERMARK,
    LOG_START,
    NOT_READABLE,
    RECOVERY_POINT,
    Checkpoint,
    encode_offsets,
    read_offsets,
    readable_offsets,
    write_offsets,
)
from barnabas.log.directories.meta_properties import (
    META_PROPERTIES,
    MetaProperties,
    parse_meta_properties,
)
from barnabas.log.directories.partition_metadata import parse_topic_id
from barnabas.log.file_names import (
    CLUSTER_METADATA,
    PARTITION_METADATA,
    is_deleted_directory,
    parse_future_directory,
    parse_partition_directory,
    partition_directory,
    renamed_directory,
)
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.ports import Disk
from barnabas.types import TopicPartition

_LOCK = ".lock"
_CLEAN = ".kafka_cleanshutdown"
_ROOM = 1 << 20
"""Bytes of a volume; with less it counts as full."""
_CLEAN_TEXT = b'{"version":0,"brokerEpoch":-1,"barnabas":"%s"}'
"""Kafka's file has the first two; the third shows whether this broker wrote the file last."""
_CONTROLLERS_ID = (1).to_bytes(16)
"""The topic id of a controller's own log, which a KRaft node keeps beside those of its topics."""


class LogDirectory:
    """One directory of `log.dirs`, held against other brokers between `open` and `close`."""

    def __init__(self, disk: Disk, path: str) -> None:
        self.path = path
        self.logs: dict[TopicPartition, PartitionLog] = {}
        """The logs in it that are served."""
        self.futures: dict[TopicPartition, PartitionLog] = {}
        """Those that are copied here from other directories (KIP-113)."""
        self.found_futures: list[tuple[str, TopicPartition, Checkpoint]] = []
        """What the start finds of these: the path of each, and what is known of it."""
        self.failure: StorageError | None = None
        """Why it is offline; it stays so until the broker starts again."""
        self.in_order = True
        """Whether all its logs were closed and written down."""
        self.directory_id = ""
        """As `meta.properties` gives it; empty before the directory is claimed."""
        self.mark = b""
        """The text of the mark that it was left in order with; empty where there is none."""
        self.recovery_checksum = 0
        """Of the file with the recovery points."""
        self.token = ""
        """What the mark of this broker's stop will hold."""
        self.on_recovery_points: Callable[[int], None] = lambda _: None
        """Is called with the checksum of recovery points before they are written."""
        self._disk = disk
        self._held = contextlib.ExitStack()
        self._written: dict[str, dict[TopicPartition, int]] = {}

    def open(self) -> None:
        """Take the lock; make the directory if it is not there.

        Raises:
            LogDirInUse: another broker uses the directory.
            LogDirFailed: it cannot be used at all.
        """
        try:
            self._disk.make_directory(self.path)
            self._held.enter_context(self._disk.lock(self._at(_LOCK)))
        except LockHeld as error:
            raise LogDirInUse(
                f"cannot use log directory {self.path}: another broker, or a Kafka, is running"
                f" on it, or log.dirs names it twice ({error}): stop that one, or take another"
                " directory"
            ) from error
        except StorageError as error:
            raise LogDirFailed(f"cannot use log directory {self.path}: {error}") from error

    @property
    def is_claimed(self) -> bool:
        """Whether a file names the owner."""
        return self._disk.exists(self._at(META_PROPERTIES))

    @property
    def is_there(self) -> bool:
        """Whether its path is one of something."""
        return self._disk.exists(self.path)

    def look(self) -> Mapping[TopicPartition, Checkpoint]:
        """What is known of each partition before its files are looked at.

        Raises:
            StorageError: the directory cannot be read.
        """
        clean = self._disk.exists(self._at(_CLEAN))
        if clean:
            self.mark = b"not ours"
            with contextlib.suppress(StorageError):  # That it is there is what counts.
                self.mark = self._disk.read_file(self._at(_CLEAN)) or self.mark
        path = self._at(RECOVERY_POINT)
        with contextlib.suppress(StorageError):  # An unreadable one names none.
            data = self._disk.read_file(path) if self._disk.exists(path) else b""
            self.recovery_checksum = zlib.crc32(data)
        recovery = read_offsets(self._disk, path)
        self._written[RECOVERY_POINT] = recovery
        starts = readable_offsets(self._disk, self._at(LOG_START))
        ends = read_offsets(self._disk, self._at(HIGH_WATERMARK))

        def checkpoint(each: TopicPartition) -> Checkpoint:
            start = NOT_READABLE if starts is None else starts.get(each, 0)
            return Checkpoint(recovery.get(each, 0), start, clean, ends.get(each, -1))

        found = {each: checkpoint(each) for each in self.partitions()}
        self.found_futures = [
            (self._at(name), each, checkpoint(each))
            for name in self._disk.list(self.path)
            if (each := parse_future_directory(name)) is not None
        ]
        return found

    def begin(self) -> None:
        """Count as running from now on.

        Raises:
            StorageError: the mark of the stop before cannot be removed.
        """
        if self.mark:
            self._disk.remove(self._at(_CLEAN))
            self._disk.sync_directory(self.path)

    def owner(self) -> MetaProperties | None:
        """Whose it is; None for a new one."""
        path = self._at(META_PROPERTIES)
        if not self._disk.exists(path):
            return None
        return parse_meta_properties(path, self._disk.read_file(path))

    def claim(self, owner: MetaProperties) -> None:
        """Write the owner."""
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

    def topic_id_of(self, partition: TopicPartition) -> bytes | None:
        """The topic id in a partition's directory; None without one."""
        path = f"{self.partition_path(partition)}/{PARTITION_METADATA}"
        return parse_topic_id(self._disk.read_file(path)) if self._disk.exists(path) else None

    def deleted(self) -> list[str]:
        """Paths of partitions that were deleted and not yet removed."""
        return [self._at(name) for name in self._disk.list(self.path) if is_deleted_directory(name)]

    def partition_path(self, partition: TopicPartition) -> str:
        """Where a partition's files are or will be."""
        return self._at(partition_directory(partition))

    def renamed_path(self, partition: TopicPartition, unique: bytes, suffix: str) -> str:
        """Where a partition's files are that are served no longer, or not yet; see `renamed_directory`."""
        return self._at(renamed_directory(partition, unique, suffix))

    def has_room(self) -> bool:
        """Whether the volume is not full; it is, where that cannot be found out."""
        try:
            return self._disk.space(self.path)[1] >= _ROOM
        except StorageError:
            return False

    def has_checkpoint(self, partition: TopicPartition) -> bool:
        """Whether a recovery point is stored under this name, even of a log that was deleted."""
        return partition in self._written.get(RECOVERY_POINT, ())

    def write_checkpoints(self) -> None:
        """Write recovery points, log starts and high watermarks, those that changed.

        Raises:
            StorageError: they cannot be written.
        """
        known = [*self.logs.values(), *self.futures.values()]
        points = {log.topic_partition: log.flushing.sure_point for log in known}
        if self._written.get(RECOVERY_POINT) != points:
            self.recovery_checksum = zlib.crc32(encode_offsets(points))
            self.on_recovery_points(self.recovery_checksum)
        self._write(RECOVERY_POINT, points)
        self._write(HIGH_WATERMARK, {log.topic_partition: log.high_watermark for log in known})
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

    def close(self) -> None:
        """Let others have it; marked as stopped in order, if all its logs are on stable storage.

        Raises:
            StorageError: the mark cannot be written.
        """
        with self._held:
            if self.in_order and self.failure is None:
                mark = _CLEAN_TEXT % self.token.encode()
                self._disk.replace_file(self._at(_CLEAN), mark)
        self.logs.clear()
        self.futures.clear()

    def _at(self, name: str) -> str:
        return f"{self.path}/{name}"
