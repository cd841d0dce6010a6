"""Logs that the inventory lists and no directory has: offline until found, or given up.

Nothing is made in their place: their records would have other contents under the same offsets.
"""

from typing import NamedTuple

from barnabas.errors import LogDirFailed
from barnabas.log.directories.directories import LogDirectories
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory import DELETED_AWAY, REPLACED, InventorySection, KnownLog
from barnabas.log.directories.inventory_keeper import InventoryKeeper
from barnabas.log.file_names import partition_directory
from barnabas.log.partition.leader_epochs import LeaderEpochs
from barnabas.log.partition.offline_log import OfflineLog
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import LogOrigin
from barnabas.log.segments.log_config import LogConfig
from barnabas.ports import Disk
from barnabas.types import TopicPartition

_UNSEEN = 1_000_000_000
"""More records than a partition gets between two checkpoints."""
_UNSEEN_BYTES = 1 << 40
"""The same where offsets count bytes."""


class _Lost(NamedTuple):
    """`section` and `known` are None if the contents of an offline directory are unknown."""

    log: OfflineLog
    section: InventorySection | None
    known: KnownLog | None


class LostLogs:
    """The lost logs that were looked up, by partition."""

    def __init__(self, disk: Disk, directories: LogDirectories, keeper: InventoryKeeper) -> None:
        self._disk = disk
        self._directories = directories
        self._keeper = keeper
        self._lost: dict[TopicPartition, _Lost] = {}

    def __contains__(self, partition: object) -> bool:
        return partition in self._lost

    def find(
        self,
        partition: TopicPartition,
        topic_id: bytes,
        config: LogConfig,
        *,
        is_new: bool,
        has_replicas: bool = False,
    ) -> OfflineLog | None:
        """Return a stand-in for a lost log; None if there was none.

        `is_new`: the topic is being created, so an unknown directory has no part of it. `has_replicas`: only a
        directory that is offline holds a log back; one that is lost otherwise is copied again, as in Kafka.
        """
        offline = [each for each in self._directories.all if each.failure is not None]
        paths = {each.path for each in offline}
        for section in self._keeper.inventory.sections.values():
            if has_replicas and section.path not in paths:
                continue
            known = section.partitions.get(partition)
            if known is not None and known.is_there and known.is_of(topic_id):
                path = f"{section.path}/{partition_directory(partition)}"
                failure, advice = self._why(section, path, known)
                return self._keep(
                    partition, topic_id, config, (path, failure, advice), (section, known)
                )
        unknown = [each for each in offline if has_replicas or self._is_unknown(each)]
        if is_new:
            return None
        if not unknown:
            return None
        failure = LogDirFailed(f"it may be in {unknown[0].path}, which is offline")
        path = unknown[0].partition_path(partition)
        return self._keep(partition, topic_id, config, (path, failure, ""), (None, None))

    def _is_unknown(self, directory: LogDirectory) -> bool:
        return not self._keeper.inventory.of_path(directory.path)

    def _why(
        self, section: InventorySection, path: str, known: KnownLog
    ) -> tuple[LogDirFailed, str]:
        """What is wrong, and what to do; empty if the whole directory already reports that."""
        for directory in self._directories.all:
            if directory.path == section.path and directory.failure is not None:
                return LogDirFailed(f"its log directory {directory.path} is offline"), ""
            if directory.directory_id == section.directory_id:
                what = f"{path} is not there, and the broker has records up to offset {known.end} in it"
                return LogDirFailed(what), "Put it back and start again"
        what = f"its log directory {section.path} (directory.id {section.directory_id}) is not in log.dirs"
        return LogDirFailed(what), "Have it there again and start again"

    def _keep(
        self,
        partition: TopicPartition,
        topic_id: bytes,
        config: LogConfig,
        why: tuple[str, LogDirFailed, str],
        where: tuple[InventorySection | None, KnownLog | None],
    ) -> OfflineLog:
        path, failure, advice = why
        section, known = where
        found = PartitionLog(self._disk, partition, path, config)
        found.epochs = LeaderEpochs(self._disk, f"{path}/leader-epoch-checkpoint")
        found.topic_id = topic_id
        ends = (known.end, known.start) if known else (0, 0)
        log = OfflineLog(found, (), failure, ends, advice=advice, left_in_order=True)
        self._lost[partition] = _Lost(log, section, known)
        return log

    def indexes(self, topic: str, topic_id: bytes) -> set[int]:
        """The partitions of a topic that the inventory has and the start did not find."""
        return {
            partition.partition
            for section in self._keeper.inventory.sections.values()
            for partition, known in section.partitions.items()
            if partition.topic == topic and known.is_there and known.is_of(topic_id)
        }

    def delete(self, partition: TopicPartition) -> None:
        """A topic was deleted: what its directory brings back goes too.

        Raises:
            StorageError: that cannot be written down; it stays.
        """
        self._leave(partition, DELETED_AWAY)

    def give_up(self, partition: TopicPartition) -> None:
        """A partition has no log here any more: its old directory's files are set aside.

        Raises as `delete`.
        """
        self._leave(partition, REPLACED)

    def made_anew(self, partition: TopicPartition) -> None:
        """A partition continues with a new log, which the inventory has by now."""
        del self._lost[partition]

    def _leave(self, partition: TopicPartition, state: str) -> None:
        _, section, known = self._lost[partition]
        if section is not None and known is not None:
            if self._is_usable(section):
                # Nothing comes back with a directory that is there, and a new log may be made in it.
                section.partitions.pop(partition, None)
            else:
                self._keeper.note(section, partition, state)
        del self._lost[partition]

    def _is_usable(self, section: InventorySection) -> bool:
        return any(each.directory_id == section.directory_id for each in self._directories.usable)

    def origin(self, partition: TopicPartition) -> LogOrigin:
        """Where a partition continues without its records: after each that could have been read."""
        log, section, known = self._lost[partition]
        is_exact = section is not None and known is not None and section.is_exact(known)
        return origin_of(log, known, is_exact=is_exact)


def origin_of(log: OfflineLog, known: KnownLog | None, *, is_exact: bool) -> LogOrigin:
    """As `LostLogs.origin`. `is_exact`: the log was closed at the end that is `known`."""
    epoch, end = (known.epoch, known.end) if known else (0, log.written_end)
    if not is_exact:
        end += _UNSEEN_BYTES if log.config.byte_positions else _UNSEEN
    return LogOrigin(max(epoch, 0) + 1, end)
