"""Partitions and offsets from files: `cluster.Cluster` over log directories."""

import logging
from collections.abc import Callable, Iterable, Mapping

from barnabas.log.directories.checkpoints import CLEANED_UP_TO
from barnabas.ports import Disk
from barnabas.spark.directories.errors import UnreadableLog, reading_files
from barnabas.spark.directories.inventory import Inventory, log_files
from barnabas.spark.directories.stored_log import StoredLog
from barnabas.spark.options.offsets import OffsetMap
from barnabas.spark.options.selection import Selection
from barnabas.types import TopicPartition

_log = logging.getLogger(__name__)


class DirectoryCluster:
    """Shows each partition as of its first use: records appended later are not seen."""

    def __init__(self, disk: Disk, inventory: Inventory, *, fail_on_data_loss: bool = True) -> None:
        self._disk = disk
        self._fail_on_data_loss = fail_on_data_loss
        self._inventory = inventory
        self._logs: dict[TopicPartition, StoredLog] = {}

    def partitions(self, selection: Selection) -> set[TopicPartition]:
        """The selected partitions that have a directory."""
        return self._inventory.selected(selection)

    def earliest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        """The first offset of each partition with a directory."""
        return self._each(partitions, lambda log: log.start)

    def latest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        """The offset after the last whole batch of each partition with a directory."""
        return self._each(partitions, lambda log: log.tail.offset)

    def at_times(
        self, timestamps_ms: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int | None]:
        """The first offset at or after each timestamp; None: no such record."""
        with reading_files():
            return {
                where: log.at_time(timestamp)
                for where, timestamp in timestamps_ms.items()
                if (log := self.log(where)) is not None
            }

    def close(self) -> None:
        """Forget all logs."""
        self._logs.clear()

    def log(self, where: TopicPartition) -> StoredLog | None:
        """The log of a partition; None: it has no directory.

        Raises:
            UnreadableLog: its files do not belong to one log; or one of them is lost, and
                `failOnDataLoss` is set.
        """
        directory = self._inventory.directory(where)
        if directory is None:
            return None
        found = self._logs.get(where)
        if found is None:
            with reading_files():
                files = log_files(self._disk, directory)
                self._check_indexes(files.lost)
                found = StoredLog(self._disk, where, files, self._inventory.log_start(where))
                _warn_of_torn(found)
                self._check_gaps(found)
            self._logs[where] = found
        return found

    def _check_indexes(self, lost: tuple[str, ...]) -> None:
        if lost:
            more = f", the first of {len(lost)}" if len(lost) > 1 else ""
            self._report(f"the segment that {lost[0]} is the index of is lost{more}: bring it back")

    def _check_gaps(self, log: StoredLog) -> None:
        """Check for segments lost with their indexes, unless compaction may have left the gaps."""
        compacted = not log.byte_positions and self._inventory.may_be_compacted(log.where)
        if compacted or not (gaps := log.gaps()):
            return
        gap = gaps[0]
        more = f" (the first of {len(gaps)} gaps)" if len(gaps) > 1 else ""
        problem = (
            f"{gap.topic}-{gap.partition} has no records of offsets {gap.start} to {gap.end - 1}{more}: "
            f"the segment that starts with {gap.start} is lost"
        )
        if compacted is None:
            _log.warning("%s, or was compacted; no %s says which", problem, CLEANED_UP_TO)
        else:
            self._report(f"{problem}: bring it back")

    def _report(self, problem: str) -> None:
        if self._fail_on_data_loss:
            raise UnreadableLog(
                f"{problem}. To read what is left set option 'failOnDataLoss' to 'false'"
            )
        _log.warning("records are lost (failOnDataLoss is false): %s", problem)

    def _each(
        self, partitions: Iterable[TopicPartition], ask: Callable[[StoredLog], int]
    ) -> OffsetMap:
        with reading_files():
            return {where: ask(log) for where in partitions if (log := self.log(where)) is not None}


def _warn_of_torn(log: StoredLog) -> None:
    tail = log.tail
    if tail.torn:
        _log.warning(
            "%s ends at byte %d with %d bytes that are no whole batch: 1 torn batch is left out, and "
            "%s-%d ends before offset %d",
            log.last_path, tail.position, tail.rest, *log.where, tail.offset,
        )  # fmt: skip
