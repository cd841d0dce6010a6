"""DirectorySource: a topic in log directories of Kafka 0.7 or Jafka brokers that are stopped.

Source: Kafka 0.7.2's LogManager and Log: `TOPIC-PARTITION/POSITION.kafka`.
"""

from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.log.file_names import JAFKA_LOG, OLD_LOG, parse_partition_directory
from barnabas.migration.errors import TopicNotThere
from barnabas.ports import Disk
from barnabas.runtime.files.file_parts import read_part


class _Segment(NamedTuple):
    start: int
    end: int
    path: str


class DirectorySource:
    """The segments that exist when it is created; files are only read."""

    def __init__(self, disk: Disk, directories: Mapping[int, str], topic: str) -> None:
        """`directories`: by broker number.

        Raises:
            TopicNotThere: a directory has no data of the topic.
            StorageError: a directory cannot be read.
        """
        self._segments: dict[BrokerPartition, list[_Segment]] = {}
        for broker, directory in directories.items():
            there = {name: parse_partition_directory(name) for name in disk.list(directory)}
            found = {
                BrokerPartition(broker, parsed.partition): _segments(disk, f"{directory}/{name}")
                for name, parsed in there.items()
                if parsed and parsed.topic == topic
            }
            if not found:
                raise TopicNotThere(
                    f"{directory} has no directory {topic}-0, {topic}-1, ...",
                    (parsed.topic for parsed in there.values() if parsed),
                )
            self._segments |= found
        self.places = sorted(self._segments)

    def bounds(self, place: BrokerPartition) -> tuple[int, int]:
        """The start of its first segment, and the end of the last one."""
        segments = self._segments[place]
        return (segments[0].start, segments[-1].end) if segments else (0, 0)

    def read(self, place: BrokerPartition, offset: int, size: int) -> memoryview:
        """Return up to `size` bytes of one segment.

        Raises:
            StorageError: its file cannot be read.
        """
        segments = self._segments[place]
        at = bisect_right(segments, offset, key=lambda segment: segment.start) - 1
        if at < 0 or offset >= segments[at].end:
            return memoryview(b"")
        start, end, path = segments[at]
        return memoryview(read_part(path, offset - start, min(size, end - offset)))

    def next_start(self, place: BrokerPartition, offset: int) -> int:
        """The start of the next segment, by file name."""
        behind = [segment.start for segment in self._segments[place] if segment.start > offset]
        return min(behind, default=self.bounds(place)[1])

    def close(self) -> None:
        """There is nothing to close."""


def _segments(disk: Disk, directory: str) -> list[_Segment]:
    found = []
    for name in disk.list(directory):
        stem, dot, suffix = name.partition(".")
        if stem.isdecimal() and dot + suffix in (OLD_LOG, JAFKA_LOG):
            path = f"{directory}/{name}"
            found.append(_Segment(int(stem), int(stem) + disk.size(path), path))
    return sorted(found)
