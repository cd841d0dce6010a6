"""Choose the partition of a record. Sends nothing.

Source: KIP-480 (a partition is kept while a batch fills), KIP-794 (it changes after batch.size
bytes; partitions with long queues are chosen less often); Kafka's BuiltInPartitioner.
"""

from collections.abc import Callable
from typing import Final

from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Entropy
from barnabas.records.checksums import murmur2

_POSITIVE: Final = 0x7FFFFFFF


def partition_of_key(key: bytes, partitions: int) -> int:
    """The partition of a key, as every Kafka client for the JVM computes it."""
    return (murmur2(key) & _POSITIVE) % partitions


def checked(topic: TopicView, partition: int) -> int:
    """The partition that a caller requested.

    Raises:
        BrokerError: the topic has no such partition.
    """
    count = len(topic.partitions)
    if not 0 <= partition < count:
        there = f"partitions 0 to {count - 1}" if count > 1 else "only partition 0"
        what = f"{topic.name} has {there}, not {partition}"
        raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what)
    return partition


class StickyPartitions:
    """For each topic, the current partition for records without key or partition."""

    def __init__(self, batch_size: int, entropy: Entropy) -> None:
        self._batch_size = batch_size
        self._entropy = entropy
        self._chosen: dict[str, tuple[int, int]] = {}

    def of(self, topic: TopicView, queued: Callable[[int], int]) -> int:
        """The current choice; `queued` gives the number of waiting batches per partition."""
        chosen = self._chosen.get(topic.name)
        if chosen is None or chosen[0] >= len(topic.partitions):
            chosen = self._choose(topic, queued), self._batch_size
            self._chosen[topic.name] = chosen
        return chosen[0]

    def appended(self, topic: str, partition: int, size: int) -> None:
        """A batch of `size` bytes is closed; after batch.size bytes the partition changes."""
        chosen = self._chosen.get(topic)
        if chosen is None or chosen[0] != partition:
            return
        if size >= chosen[1]:
            del self._chosen[topic]
        else:
            self._chosen[topic] = partition, chosen[1] - size

    def _choose(self, topic: TopicView, queued: Callable[[int], int]) -> int:
        led = [view.partition for view in topic.partitions if view.leader >= 0]
        among = led or [view.partition for view in topic.partitions]
        lengths = [queued(partition) for partition in among]
        longest = max(lengths)
        drawn = self._entropy.below(sum(longest + 1 - length for length in lengths))
        for partition, length in zip(among, lengths, strict=True):
            drawn -= longest + 1 - length
            if drawn < 0:
                return partition
        raise AssertionError("the weights add up to what was drawn from")
