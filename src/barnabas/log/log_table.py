"""LogTable: the logs of a broker by partition, and the directory that each is in."""

from barnabas.log.directories.directory import LogDirectory
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.types import TopicPartition


class LogTable:
    """All logs. One that was not found in any directory has an offline stand-in, and no directory."""

    def __init__(self) -> None:
        self.logs: dict[TopicPartition, PartitionLog] = {}
        self.places: dict[TopicPartition, LogDirectory] = {}

    def put(self, log: PartitionLog, directory: LogDirectory) -> None:
        """Add a log that is in this directory, or replace its stand-in."""
        partition = log.topic_partition
        self.logs[partition] = directory.logs[partition] = log
        self.places[partition] = directory

    def take(self, partition: TopicPartition) -> None:
        """Remove a log that is in a directory."""
        directory = self.places.pop(partition)
        del self.logs[partition], directory.logs[partition]

    def clear(self) -> None:
        """Remove all."""
        self.logs.clear()
        self.places.clear()
