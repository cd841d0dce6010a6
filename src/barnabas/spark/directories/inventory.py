"""The contents of log directories: partitions, the files of their segments, and log start offsets.

Only names and sizes are read. File names of Kafka 0.7 and Jafka are known, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from barnabas.log.directories.checkpoints import LOG_START, may_be_compacted, read_offsets
from barnabas.log.file_names import (
    LOG,
    SWAP,
    lost_segments,
    parse_partition_directory,
    parse_segment_file,
)
from barnabas.log.segments.old_names import parse_old_name
from barnabas.ports import Disk
from barnabas.spark.directories.errors import NotInDirectory, UnreadableLog
from barnabas.spark.options.selection import Partitions, Pattern, Selection
from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """The file with a segment's batches."""

    base_offset: int
    path: str


@dataclass(frozen=True, slots=True)
class LogFiles:
    """The segments of a partition in order. `byte_positions`: they are Kafka 0.7's.

    `lost`: indexes without a segment file, between the first and the last segment.
    """

    segments: tuple[SegmentFile, ...]
    byte_positions: bool
    lost: tuple[str, ...] = ()


class Inventory:
    """The partitions below some paths; a path is a log directory or the directory of a partition."""

    def __init__(self, disk: Disk, paths: Sequence[str]) -> None:
        """List the paths.

        Raises:
            NotInDirectory: a path contains no partition.
            UnreadableLog: two paths contain the same partition.
            StorageError: a path cannot be listed.
        """
        self.paths = tuple(paths)
        self._disk = disk
        self._directories: dict[TopicPartition, str] = {}
        self._starts: dict[str, dict[TopicPartition, int]] = {}
        for path in paths:
            found = self._below(path)
            if not found:
                raise NotInDirectory(
                    f"{path} holds no partition, that is no directory such as topic-0: name a log "
                    "directory (log.dirs) or the directory of a partition"
                )
            for where, directory in found.items():
                other = self._directories.setdefault(where, directory)
                if other != directory:
                    raise UnreadableLog(
                        f"{where.topic}-{where.partition} is in {other} and in {directory}: name "
                        "only one of the two"
                    )

    def _below(self, path: str) -> dict[TopicPartition, str]:
        found = {
            where: f"{path}/{name}"
            for name in self._disk.list(path)
            if (where := parse_partition_directory(name)) and Path(path, name).is_dir()
        }
        # A log directory may be called kafka-1, too; but the directory of a partition contains no partitions.
        own = parse_partition_directory(Path(path).name)
        return found or ({own: path} if own else {})

    def directory(self, where: TopicPartition) -> str | None:
        """The directory of a partition; None: no path contains it."""
        return self._directories.get(where)

    def selected(self, selection: Selection) -> set[TopicPartition]:
        """The selected partitions; a pattern does not select Kafka's internal topics."""
        if isinstance(selection, Partitions):
            return set(selection.partitions.intersection(self._directories))
        topics = selection.matching({where.topic for where in self._directories})
        if isinstance(selection, Pattern):
            topics = {topic for topic in topics if not topic.startswith("__")}
        return {where for where in self._directories if where.topic in topics}

    def topics(self) -> list[str]:
        """The names of all topics, sorted."""
        return sorted({where.topic for where in self._directories})

    def log_start(self, where: TopicPartition) -> int:
        """The log start offset, from the checkpoint file beside the partition."""
        above = self._log_dir(where)
        if above not in self._starts:
            self._starts[above] = read_offsets(self._disk, f"{above}/{LOG_START}")
        return self._starts[above].get(where, 0)

    def may_be_compacted(self, where: TopicPartition) -> bool | None:
        """Whether compaction may have removed offsets; None: no file beside the partition tells."""
        return may_be_compacted(self._disk, self._log_dir(where), where)

    def _log_dir(self, where: TopicPartition) -> str:
        return str(Path(self._directories[where]).parent)


def log_files(disk: Disk, directory: str) -> LogFiles:
    """The segments in the directory of a partition; none if it is empty.

    Raises:
        UnreadableLog: an unfinished compaction, or segments of Kafka 0.7 beside later ones.
        StorageError: it cannot be listed.
    """
    names = disk.list(directory)
    _check_replacements(directory, names)
    new = [
        SegmentFile(parsed[0], f"{directory}/{name}")
        for name in names
        if (parsed := parse_segment_file(name)) and parsed[1] == LOG
    ]
    old = [
        SegmentFile(base, f"{directory}/{name}")
        for name in names
        if (base := parse_old_name(name)) is not None
    ]
    if new and old:
        raise UnreadableLog(
            f"{directory} holds {_name(new[0])} and {_name(old[0])}, of Kafka 0.7: these are two "
            "logs, move one away"
        )
    ordered = sorted(new or old, key=lambda each: each.base_offset)
    for before, each in pairwise(ordered):
        if before.base_offset == each.base_offset:
            raise UnreadableLog(
                f"{directory} holds {_name(before)} and {_name(each)}, which begin at the same "
                "offset: move one away"
            )
    lost = lost_segments(names)
    return LogFiles(tuple(ordered), bool(old), tuple(f"{directory}/{name}" for name in lost))


def _check_replacements(directory: str, names: Iterable[str]) -> None:
    """Raise UnreadableLog if a compacted segment has not replaced the old ones yet: they may be gone."""
    for name in names:
        if name.endswith(LOG + SWAP):
            raise UnreadableLog(
                f"{directory}/{name} is a segment that compaction has not put in its place: where a "
                "broker runs try again, else start and stop one on a copy of the directory"
            )


def _name(file: SegmentFile) -> str:
    return Path(file.path).name
