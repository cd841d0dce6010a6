"""PartitionTable: the partitions of this broker, by topic name and by topic id."""

from collections.abc import Iterable

from barnabas.broker.replicas.fetch_rows import Read
from barnabas.broker.replicas.partition import Partition
from barnabas.errors import ErrorCode
from barnabas.protocol.produce import ProduceRequest


class PartitionTable:
    """For one thread."""

    __slots__ = ("_by_id", "_by_name")

    def __init__(self) -> None:
        self._by_name: dict[tuple[str, int], Partition] = {}
        self._by_id: dict[tuple[bytes, int], Partition] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def find(self, topic: str, index: int) -> Partition | None:
        """Return the partition, if this broker has it."""
        return self._by_name.get((topic, index))

    def partitions(self) -> Iterable[Partition]:
        """Return all partitions."""
        return self._by_name.values()

    def find_requested(self, topic: str, topic_id: bytes, index: int) -> Partition | None:
        """Find by name, or by id if the request has no name (Produce and Fetch since version 13)."""
        if topic:
            return self._by_name.get((topic, index))
        return self._by_id.get((topic_id, index))

    def partitions_of(self, request: ProduceRequest) -> set[Partition]:
        """Return the partitions that a request has records for, if this broker has them."""
        every = (
            self.find_requested(topic.name, topic.topic_id, one.index)
            for topic in request.topic_data
            for one in topic.partition_data
        )
        return {partition for partition in every if partition is not None}

    def keys_of(self, reads: Iterable[Read]) -> list[Partition]:
        """Return the partitions of these reads, which are their keys in the purgatory."""
        every = (
            self.find_requested(read.topic, read.topic_id, read.asked.partition) for read in reads
        )
        return [partition for partition in every if partition is not None]

    def why_missing(self, topic: str, topic_id: bytes) -> ErrorCode:
        """Return the error code for a missing partition, requested by topic name or by topic id."""
        known = topic or (topic_id, 0) in self._by_id
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if known else ErrorCode.UNKNOWN_TOPIC_ID
