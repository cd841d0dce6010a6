"""Collects records in batches per partition, within a memory limit. Sends nothing.

Users' threads append, the loop's thread closes and takes batches. Both hold `lock` for everything
but the append to an open batch itself, which is one kernel call and fails once the batch is sealed.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from barnabas.client.core.arguments.record_input import GivenRecord
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.producer.batch_sizes import BatchSizes
from barnabas.client.core.producer.delivery import DeliveryWaiter
from barnabas.client.core.producer.partition_queue import PartitionQueue
from barnabas.client.core.producer.partition_queues import PartitionQueues
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.kernels.batches.objects import Delivery, RecordAppender
from barnabas.ports import Entropy
from barnabas.records.batches.batch import read_header
from barnabas.types import TopicPartition


class Accumulator:
    """Open and waiting batches of all partitions.

    `sticky` (by topic) and `by_partition` (by topic, then partition) are the open batches, for the
    fast path of `send`: callers may append to one without the lock. `used` is the share of
    `buffer.memory` of all batches without an outcome. `news` is set when the loop has something to
    do. `busy` are the queues that have a batch, so that a producer of thousands of topics does not
    look at all of them each time.

    A batch becomes visible with its first record, so none is ever empty.
    """

    def __init__(
        self,
        options: ProducerOptions,
        entropy: Entropy,
        lock: AbstractContextManager[object],
        waits: DeliveryWaiter,
    ) -> None:
        self.lock = lock
        self.sticky: dict[str, RecordAppender] = {}
        self.by_partition: dict[str, list[RecordAppender | None]] = {}
        self._queues = PartitionQueues(options, entropy)
        self.queues = self._queues.by_partition
        self.busy: dict[TopicPartition, PartitionQueue] = {}
        self.used = 0
        self.news = False
        self.exhausted = False
        self.unsettled: set[ProducerBatch] = set()
        self._refusal: KafkaError | None = None
        self._held: KafkaError | None = None
        self._options = options
        self._sizes = BatchSizes(options)
        self._waits = waits

    def append(
        self,
        topic: TopicView,
        partition: int | None,
        record: GivenRecord,
        now: float,
    ) -> Delivery | None:
        """Append a record (timestamp, key, value, headers) to a batch; None without space.

        Raises:
            BrokerError: the record is larger than max.request.size or buffer.memory
                (MESSAGE_TOO_LARGE), or the topic has no such partition.
            TypeError, ValueError, OverflowError: an argument is invalid; nothing has changed.
            KafkaError: the error passed to `shut` or `hold`.
        """
        size = self._sizes.checked(topic.name, record)
        anywhere = partition is None and (record[1] is None or self._options.ignore_keys)
        with self.lock:
            self._check_open()
            while True:
                queue = self._queues.choose(topic, partition, record[1], anywhere=anywhere)
                appender = queue.open.appender if queue.open is not None else None
                if appender is None:
                    delivery = self._open(topic, queue, record, size, now)
                    if delivery is None:
                        return None
                    appender = delivery.batch.appender
                else:
                    delivery = appender.append(*record)
                if delivery is None:
                    self.close(queue)
                    continue
                if anywhere:
                    self.sticky[topic.name] = appender
                return delivery

    def add_built(
        self, where: TopicPartition, payload: bytearray, count: int, now: float
    ) -> ProducerBatch | None:
        """Queue a batch that is already built, after all others; None without space."""
        size = len(payload)
        with self.lock:
            self._check_open()
            if not self._has_room(size):
                return None
            queue = self._queues.of(where)
            self.close(queue)
            batch = ProducerBatch(where, queue.next_number(), now, size, self._waits)
            batch.payload, batch.count = payload, count
            batch.first_timestamp = read_header(payload).base_timestamp
            self.used += size
            self.unsettled.add(batch)
            queue.closed.append(batch)
            self.busy[where] = queue
            self.news = True
            return batch

    def close(self, queue: PartitionQueue) -> None:
        """Close the open batch of a partition. The caller holds the lock."""
        batch = queue.open
        if batch is None:
            return
        appender = batch.appender
        assert appender is not None, "an open batch has its appender"
        appender.seal()
        queue.open = None
        topic = queue.where.topic
        if self.sticky.get(topic) is appender:
            del self.sticky[topic]
        opened = self.by_partition.get(topic)
        if opened is not None and queue.where.partition < len(opened):
            opened[queue.where.partition] = None
        batch.count = appender.count
        size = appender.size
        self._queues.filled(queue.where, size)
        self.used += size - batch.reserved
        batch.reserved = size
        queue.closed.append(batch)
        self.news = True

    def close_ripe(self, now: float, *, everything: bool) -> float | None:
        """Close the open batches that have waited long enough; return when the next one is due.

        Close all if `everything` must go, or if there is no space for another batch.
        """
        soonest: float | None = None
        with self.lock:
            everything = everything or self.exhausted
            self.exhausted = False
            for queue in list(self.busy.values()):
                if queue.open is None:
                    if not queue:
                        del self.busy[queue.where]
                    continue
                ripe_at = queue.open.created + self._options.linger_s
                if everything or ripe_at <= now:
                    self.close(queue)
                elif soonest is None or ripe_at < soonest:
                    soonest = ripe_at
        return soonest

    def shut(self, why: KafkaError) -> None:
        """Close all open batches and refuse all records from now on with `why`."""
        with self.lock:
            if self._refusal is None:
                self._refusal = why
            self._close_all()

    def hold(self, why: KafkaError) -> None:
        """Close all open batches and refuse records with `why`, until `resume`."""
        with self.lock:
            self._held = why
            self._close_all()

    def resume(self) -> None:
        """Accept records again."""
        with self.lock:
            self._held = None

    def release(self, batch: ProducerBatch) -> None:
        """A batch has its outcome: free its memory."""
        with self.lock:
            self.unsettled.discard(batch)
            self.used -= batch.reserved

    def replaced(self, batch: ProducerBatch, parts: Sequence[ProducerBatch]) -> None:
        """A batch was split because brokers refuse its size: build smaller ones from now on."""
        with self.lock:
            self._sizes.shrink(batch.where.topic, parts)
            self.unsettled.discard(batch)
            self.unsettled.update(parts)
            self.used += sum(part.reserved for part in parts) - batch.reserved

    def _close_all(self) -> None:
        for queue in self.busy.values():
            self.close(queue)

    def _check_open(self) -> None:
        why = self._refusal or self._held
        if why is not None:
            raise why.with_traceback(None)

    def _open(
        self,
        topic: TopicView,
        queue: PartitionQueue,
        record: GivenRecord,
        size: int,
        now: float,
    ) -> Delivery | None:
        """Open a batch with a first record of up to `size` bytes; None without space."""
        reserve = max(self._sizes.of_batch(topic), size)
        if not self._has_room(reserve):
            return None
        batch = ProducerBatch(queue.where, queue.next_number(), now, reserve, self._waits)
        batch.appender = RecordAppender(reserve, batch)
        delivery = batch.appender.append(*record)
        if delivery is None:
            what = f"a record for {topic.name} is larger than any batch can be"
            raise BrokerError(ErrorCode.MESSAGE_TOO_LARGE, what)
        self.used += reserve
        self.unsettled.add(batch)
        queue.open = batch
        self.busy[queue.where] = queue
        self.news = True
        self._publish(topic, queue.where.partition, batch.appender)
        return delivery

    def _publish(self, topic: TopicView, partition: int, appender: RecordAppender) -> None:
        """Make the open batch of a partition visible to `send`, if no partition before it is missing."""
        count = len(topic.partitions)
        opened = self.by_partition.get(topic.name)
        if opened is None or len(opened) != count:
            opened = [None] * count
            for where, queue in self.busy.items():
                if where.topic == topic.name and where.partition < count and queue.open is not None:
                    opened[where.partition] = queue.open.appender
            self.by_partition[topic.name] = opened
        if 0 <= partition < count:
            opened[partition] = appender

    def _has_room(self, size: int) -> bool:
        if self.used and self.used + size > self._options.buffer_memory:
            self.exhausted = self.news = True
            return False
        return True
