"""The queues of all partitions of a producer, and the choice of a record's partition."""

from collections.abc import Callable

from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.producer.partition_queue import PartitionQueue
from barnabas.client.core.producer.partitioners import StickyPartitions, checked, partition_of_key
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.ports import Entropy
from barnabas.types import TopicPartition


class PartitionQueues:
    """Queues by partition; they are made when they are first needed. The caller holds the lock."""

    def __init__(self, options: ProducerOptions, entropy: Entropy) -> None:
        self.by_partition: dict[TopicPartition, PartitionQueue] = {}
        self._renews = options.idempotent and options.transactional_id is None
        self._sticky = StickyPartitions(options.batch_size, entropy)

    def of(self, where: TopicPartition) -> PartitionQueue:
        """The queue of a partition."""
        queue = self.by_partition.get(where)
        if queue is None:
            queue = self.by_partition[where] = PartitionQueue(where, renews=self._renews)
        return queue

    def choose(
        self, topic: TopicView, partition: int | None, key: bytes | None, *, anywhere: bool
    ) -> PartitionQueue:
        """The queue for a record: of its partition, of its key, or of the one that suits best.

        Raises:
            BrokerError: the topic has no such partition.
        """
        if partition is not None:
            chosen = checked(topic, partition)
        elif anywhere or key is None:
            chosen = self._sticky.of(topic, self._lengths(topic.name))
        else:
            chosen = partition_of_key(key, len(topic.partitions))
        return self.of(TopicPartition(topic.name, chosen))

    def filled(self, where: TopicPartition, size: int) -> None:
        """Note that a batch of this size was closed: records without a key may go elsewhere now."""
        self._sticky.appended(where.topic, where.partition, size)

    def _lengths(self, topic: str) -> Callable[[int], int]:
        """Return a function of a partition: how many batches of it wait."""

        def length(partition: int) -> int:
            queue = self.by_partition.get(TopicPartition(topic, partition))
            return 0 if queue is None else len(queue)

        return length
