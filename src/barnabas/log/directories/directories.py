"""All directories of `log.dirs`: their owner, and whether they are usable.

A failed one is offline alone: its logs are unreadable, and the others are served. So is a missing
or empty one for which the inventory has partitions: it is not created again. Source: Kafka's
LogManager, which starts as long as one of its log directories is usable.
"""

from collections.abc import Callable, Sequence

from barnabas.errors import DiskFull, LogDirFailed, LogDirInUse, StorageError
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory import DirectoryInventory, InventorySection
from barnabas.log.directories.meta_properties import WITHOUT_ZOOKEEPER, MetaProperties
from barnabas.log.file_names import uuid_text
from barnabas.ports import Disk, Entropy


class LogDirectories:
    """`cluster_id` (after `settle_owners`): the one that they name; made up for new ones."""

    def __init__(self, disk: Disk, entropy: Entropy, paths: Sequence[str]) -> None:
        self._entropy = entropy
        self.all = [LogDirectory(disk, path) for path in paths]
        self.cluster_id = ""

    @property
    def usable(self) -> list[LogDirectory]:
        """Those that are not offline."""
        return [directory for directory in self.all if directory.failure is None]

    def attempt(self, directory: LogDirectory, action: Callable[[], None]) -> None:
        """Do what touches a directory as a whole; one that fails is offline from then on.

        Raises:
            LogDirFailed: another broker uses it, or no other one can be used.
        """
        try:
            action()
        except LogDirInUse:
            raise
        except StorageError as error:
            directory.failure = error
            if not self.usable:
                raise self._all_failed() from error

    def _all_failed(self) -> LogDirFailed:
        failures = [each.failure for each in self.all]
        if len(failures) == 1:
            return LogDirFailed(f"{failures[0]}: make it usable, or take another (log.dirs)")
        return LogDirFailed(f"no log directory can be used: {'; '.join(map(str, failures))}")

    # --- At the start -------------------------------------------------------------------------

    def lock(self, *, claimed: bool) -> None:
        """Lock the claimed directories, or the others, against other brokers; create missing ones.

        Raises:
            LogDirFailed: another broker uses one of them, or none is usable.
        """
        for directory in self.usable:
            if directory.is_claimed == claimed:
                self.attempt(directory, directory.open)

    def miss(self, inventory: DirectoryInventory) -> None:
        """Take offline those that are gone, or empty, and held partitions.

        Raises:
            LogDirFailed: no other one can be used.
        """
        for directory in self.usable:
            for section in inventory.of_path(directory.path):
                self.attempt(directory, lambda: _check_there(directory, section))  # noqa: B023 - called at once

    def settle_owners(
        self,
        node_id: int,
        cluster_id: Callable[[], str],
        inventory: DirectoryInventory,
        version: int = WITHOUT_ZOOKEEPER,
    ) -> None:
        """Make sure that all belong to this node and to one cluster; new ones do from now on.

        `cluster_id` gives the one that new directories are of; empty: that of a new cluster. `version`: of
        the file in new ones. Others keep theirs, so that a Kafka that wrote it takes the directory back.

        Raises:
            LogDirFailed: one belongs to another node or cluster, or none can be used.
        """
        owners: dict[LogDirectory, MetaProperties | None] = {}
        for directory in self.usable:

            def look(directory: LogDirectory = directory) -> None:
                owners[directory] = directory.owner()

            self.attempt(directory, look)
        for directory, owner in owners.items():
            if owner is not None and owner.node_id != node_id:
                raise LogDirFailed(
                    f"log directory {directory.path} belongs to node {owner.node_id}, and this is"
                    f" node {node_id}"
                )
        clusters = sorted({owner.cluster_id for owner in owners.values() if owner} - {""})
        if len(clusters) > 1:
            raise LogDirFailed(f"log directories belong to several clusters: {clusters}")
        self.cluster_id = (clusters[0] if clusters else cluster_id()) or self._new_id()
        taken: set[str] = set()
        for directory, owner in owners.items():
            known_id = owner.directory_id if owner else _known_id(directory, inventory)
            # Two have the same id if one is a copy of the other.
            directory.directory_id = (
                known_id if known_id and known_id not in taken else self._new_id()
            )
            taken.add(directory.directory_id)
            claimed = MetaProperties(
                node_id,
                self.cluster_id,
                directory.directory_id,
                owner.version if owner else version,
            )
            if owner != claimed:
                self.attempt(directory, lambda: directory.claim(claimed))  # noqa: B023 - called at once

    def _new_id(self) -> str:
        return uuid_text(self._entropy.uuid())

    # --- New logs -----------------------------------------------------------------------------

    def for_new(self) -> list[LogDirectory]:
        """Where a new log may be made: in the one with the fewest first, in one that is full last."""
        usable = self.usable
        if len(usable) == 1:
            return usable
        return sorted(usable, key=lambda each: (not each.has_room(), len(each.logs)))

    def check_room(self) -> None:
        """Whether new logs can be made.

        Raises:
            DiskFull: no directory has room for them.
        """
        if not any(directory.has_room() for directory in self.usable):
            paths = ", ".join(directory.path for directory in self.usable)
            raise DiskFull(f"no room for new partitions: less than 1 MiB is free in {paths}")


def _check_there(directory: LogDirectory, section: InventorySection) -> None:
    """Whether a directory still is the one that the inventory has partitions in, if it has any.

    Raises:
        LogDirFailed: it is gone, or empty: its disk may come back with them.
    """
    count = sum(known.is_there for known in section.partitions.values())
    if not count:
        return
    if not directory.is_there:
        raise LogDirFailed(
            f"{directory.path} is not there, and the broker has {count} partitions in it"
        )
    if not directory.is_claimed and not _holds_some(directory, section):
        raise LogDirFailed(
            f"{directory.path} is empty, and the broker has {count} partitions in it: is its disk mounted?"
        )


def _holds_some(directory: LogDirectory, section: InventorySection) -> bool:
    return any(partition in section.partitions for partition in directory.partitions())


def _known_id(directory: LogDirectory, inventory: DirectoryInventory) -> str:
    """The id of a directory without meta.properties; empty for a new one."""
    for section in inventory.of_path(directory.path):
        if _holds_some(directory, section):
            return section.directory_id
    return ""
