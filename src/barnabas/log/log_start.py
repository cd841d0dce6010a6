"""Open all logs at a broker's start: lock the directories, find and open each log.

An unusable directory or log is offline alone. Entries of the inventory that were not found stay in
it, for the owner of the topics (`lost_logs`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from barnabas.errors import LogDirFailed, StorageError
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.directories.directories import LogDirectories
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory import DELETED_AWAY, REPLACED, THERE
from barnabas.log.directories.inventory_keeper import InventoryKeeper
from barnabas.log.directories.meta_properties import WITHOUT_ZOOKEEPER
from barnabas.log.file_names import DELETED_DIRECTORY, STRAY_DIRECTORY
from barnabas.log.partition.offline_log import OfflineLog
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.ports import Disk, Entropy
from barnabas.types import TopicPartition

_NAMED_AT_MOST = 10
"""Partitions of a directory that is offline."""


class LogSettings(NamedTuple):
    """A broker's properties for its logs; the intervals under Kafka's names, in ms.

    `cluster_id` returns the cluster of new directories; empty for a new cluster. `meta_version` is that of
    `meta.properties` in new ones.
    """

    node_id: int
    directories: Sequence[str]
    log_retention_check_interval_ms: int = 300_000
    log_flush_offset_checkpoint_interval_ms: int = 60_000
    producer_id_expiration_check_interval_ms: int = 600_000
    cluster_id: Callable[[], str] = str
    meta_version: int = WITHOUT_ZOOKEEPER


class LogEvent(NamedTuple):
    """Something that an operator may want to know; `problem` if action is required.

    `loss`: data is lost or missing that nobody deleted. No partition: it concerns all of them.
    """

    partition: TopicPartition | None
    text: str
    problem: bool = False
    loss: bool = False


class LogStart:
    """One start.

    `placed` are the logs, each with its directory; `removable` is what may be removed now.

    `evidence` may be removed once the inventory is written: it shows which segments were removed on
    purpose.
    """

    def __init__(
        self,
        disk: Disk,
        entropy: Entropy,
        settings: LogSettings,
        directories: LogDirectories,
        keeper: InventoryKeeper,
    ) -> None:
        self._disk = disk
        self._entropy = entropy
        self._settings = settings
        self._directories = directories
        self._keeper = keeper
        self.placed: dict[TopicPartition, tuple[PartitionLog, LogDirectory]] = {}
        self.finds_news = False
        """Whether there is something that the inventory does not have."""
        self.removable: list[str] = []
        self.evidence: list[str] = []
        self.events: list[LogEvent] = []

    def run(self, on_locked: Callable[[], None], config_for: Callable[[str], LogConfig]) -> None:
        """Run the start. `on_locked` is called before the properties of a topic are requested.

        Raises:
            LogDirFailed: a directory is used by another broker, belongs to another node or cluster,
                a partition is in two of them, or none is usable.
            StorageError: raised by `on_locked`.
        """
        directories, keeper = self._directories, self._keeper
        directories.lock(claimed=True)
        keeper.load()
        directories.miss(keeper.inventory)
        directories.lock(claimed=False)
        on_locked()
        settings = self._settings
        directories.settle_owners(
            settings.node_id, settings.cluster_id, keeper.inventory, settings.meta_version
        )
        found = self._found()
        keeper.begin()
        self._put_aside(found)
        for directory, checkpoints in found.items():
            directories.attempt(directory, partial(self._begin, directory))
            if directory.failure is None:
                for partition, checkpoint in checkpoints.items():
                    config = config_for(partition.topic)
                    self._open_log(directory, partition, checkpoint, config)
        keeper.found({each: at.directory_id for each, (_, at) in self.placed.items()})
        self._report_offline()

    def _found(self) -> dict[LogDirectory, dict[TopicPartition, Checkpoint]]:
        found: dict[LogDirectory, dict[TopicPartition, Checkpoint]] = {}
        for directory in self._directories.usable:

            def look(directory: LogDirectory = directory) -> None:
                found[directory] = dict(directory.look())

            self._directories.attempt(directory, look)
        return found

    def _begin(self, directory: LogDirectory) -> None:
        directory.begin()
        self.removable += directory.deleted()

    # --- Partitions whose directory was away --------------------------------------------------

    def _put_aside(self, found: Mapping[LogDirectory, dict[TopicPartition, Checkpoint]]) -> None:
        """Stop serving what was deleted, or continued elsewhere, while its directory was away."""
        for directory, checkpoints in found.items():
            for partition in [*checkpoints]:
                state = self._state(directory, partition)
                if state == DELETED_AWAY:
                    del checkpoints[partition]
                    self._rename(directory, partition, DELETED_DIRECTORY)
                elif state == REPLACED:
                    del checkpoints[partition]
                    self._set_aside(directory, partition)
        self._keep_one_of_each(found)

    def _state(self, directory: LogDirectory, partition: TopicPartition) -> str:
        """What became of a partition while its directory was away; empty where that was of another topic."""
        known = self._keeper.known(directory, partition)
        if known is None or known.is_there:
            return ""
        try:
            topic_id = directory.topic_id_of(partition)
        except StorageError:
            return ""
        return known.state if topic_id is not None and known.is_of(topic_id) else ""

    def _keep_one_of_each(
        self, found: Mapping[LogDirectory, dict[TopicPartition, Checkpoint]]
    ) -> None:
        holders: dict[TopicPartition, list[LogDirectory]] = {}
        for directory, checkpoints in found.items():
            for partition in checkpoints:
                holders.setdefault(partition, []).append(directory)
        for partition, several in holders.items():
            stays = several[0] if len(several) == 1 else self._one_of(partition, several)
            for directory in several:
                if directory is not stays:
                    self._set_aside(directory, partition)
                    del found[directory][partition]

    def _one_of(self, partition: TopicPartition, several: list[LogDirectory]) -> LogDirectory:
        """The one of several directories that a partition was served from."""
        known = [each for each in several if self._keeper.state(each, partition) == THERE]
        if len(known) == 1:
            return known[0]
        paths = " and in ".join(directory.partition_path(partition) for directory in several)
        raise LogDirFailed(
            f"partition {partition.topic}-{partition.partition} is in {paths}: move one of them away"
        )

    def _set_aside(self, directory: LogDirectory, partition: TopicPartition) -> None:
        path = self._rename(directory, partition, STRAY_DIRECTORY)
        what = (
            f"is served from another directory: what {directory.path} has of it is kept as {path}"
        )
        self._tell(partition, what, problem=False)

    def _rename(self, directory: LogDirectory, partition: TopicPartition, suffix: str) -> str:
        """Move a partition's directory out of the way; gives its path. The next start tries again."""
        path = directory.partition_path(partition)
        renamed = directory.renamed_path(partition, self._entropy.uuid(), suffix)
        try:
            self._disk.rename(path, renamed)
        except StorageError as error:
            self._tell(partition, f"is not moved out of the way: {error}", problem=True)
            return path
        self._keeper.take(directory, partition)
        return renamed

    # --- Logs ---------------------------------------------------------------------------------

    def _open_log(
        self,
        directory: LogDirectory,
        partition: TopicPartition,
        checkpoint: Checkpoint,
        config: LogConfig,
    ) -> None:
        known = self._keeper.take(directory, partition)
        path = directory.partition_path(partition)
        log = open_log(self._disk, partition, path, config, checkpoint.knowing(known))
        self.placed[partition] = log, directory
        if known is not None and isinstance(log, OfflineLog):
            self._keeper.put_back(directory, partition, known)
        self.evidence += log.losses.evidence
        is_new = known is None or not known.segments
        self.finds_news |= is_new or bool(log.losses.evidence or log.losses.bytes)
        try:
            log.lead(max(log.leader_epoch, 0))
        except StorageError as error:
            self._tell(partition, f"is offline: {error}", problem=True)
        for note in log.losses.notes:
            self._tell(partition, note, problem=log.failure is not None)

    def _tell(self, partition: TopicPartition, text: str, *, problem: bool) -> None:
        self.events.append(LogEvent(partition, text, problem=problem, loss=True))

    def _report_offline(self) -> None:
        for directory in self._directories.all:
            if directory.failure is None:
                continue
            names = sorted(
                f"{topic}-{index}"
                for section in self._keeper.inventory.of_path(directory.path)
                for (topic, index), known in section.partitions.items()
                if known.is_there
            )
            more = len(names) - _NAMED_AT_MOST
            shown = ", ".join(names[:_NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")
            lost = f"; offline with it: {shown}" if names else ""
            what = (
                f"directory {directory.path} is offline: {directory.failure}{lost}. Fix it and "
                "restart; `barnabas topics give-up` lets partitions continue without their "
                "records"
            )
            self.events.append(LogEvent(None, what, problem=True, loss=True))
