"""Decides which batches go to which broker, and what responses mean. No I/O, no clock.

collect(now) -> requests to send;  answered(...) / failed(...) -> outcomes, retries, splits
"""

from collections.abc import Callable
from itertools import islice
from typing import Final

from barnabas.client.core.cluster.cluster_view import Broker, ClusterView
from barnabas.client.core.cluster.retry import Backoff
from barnabas.client.core.producer.accumulator import Accumulator
from barnabas.client.core.producer.batch_outcomes import BatchOutcomes
from barnabas.client.core.producer.delivery import StoredBatch
from barnabas.client.core.producer.idempotence import (
    AppendResult,
)
from barnabas.client.core.producer.old_formats import NEWEST_MAGIC, as_messages, magic_of_produce
from barnabas.client.core.producer.partition_queue import PartitionQueue
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.send_plan import ProduceBatches, SendPlan
from barnabas.client.core.producer.sequencing import NO_PRODUCER_ID
from barnabas.client.core.producer.transactions import ProducerTransactions
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.batches.builder import NO_PRODUCER, build
from barnabas.records.codecs.compression import Codec
from barnabas.types import Buffer, TopicPartition

_BY_ID_SINCE: Final = 13
"""The version of Produce that names topics by id."""


class Sender:
    """The sending side of a producer.

    `producer_id` is -1 until it is known; without it, an idempotent producer sends nothing. With
    `builds_elsewhere` it compresses nothing itself: see `SendPlan.to_build`. All records belong to one
    of the `transactions`, if there are any.
    """

    def __init__(
        self,
        options: ProducerOptions,
        view: ClusterView,
        records: Accumulator,
        backoff: Backoff,
        transactions: ProducerTransactions | None = None,
    ) -> None:
        self.transactions = transactions
        self.producer_id = NO_PRODUCER_ID
        self.producer_epoch = -1
        self.closing = False
        self.builds_elsewhere = False
        self._flushes = 0
        self._options = options
        self._view = view
        self._records = records
        self.outcomes = BatchOutcomes(options, view, records, backoff, transactions)
        self._in_flight: dict[int, int] = {}
        self._turn = 0

    @property
    def needs_producer_id(self) -> bool:
        """Whether a missing producer id blocks everything."""
        return self._options.idempotent and self.producer_id == NO_PRODUCER_ID

    def flush_begins(self) -> None:
        """Close open batches at once from now on."""
        self._flushes += 1

    def flush_ends(self) -> None:
        """Call as often as `flush_begins`."""
        self._flushes -= 1

    def collect(self, now: float, can_send: Callable[[int], bool]) -> SendPlan:
        """The requests to send now to the brokers for which `can_send` is true."""
        plan = SendPlan()
        if self.transactions is not None:
            self.outcomes.follow(self.transactions)
        everything = self._flushes > 0 or self.closing
        ripe_at = self._records.close_ripe(now, everything=everything)
        if ripe_at is not None:
            plan.wake(ripe_at)
        busy = [queue for queue in list(self._records.busy.values()) if queue.gather()]
        if not busy:
            return plan
        for queue in busy:
            self.outcomes.expire(queue, now)
        if self.needs_producer_id:
            oldest = [queue.oldest().created for queue in busy if queue.gather()]
            plan.wake(min(oldest, default=now) + self._options.delivery_timeout_s)
            return plan
        self._turn += 1
        first = self._turn % len(busy)
        by_node: dict[int, ProduceBatches] = {}
        for queue in busy[first:] + busy[:first]:
            self._plan_queue(queue, now, can_send, by_node, plan)
        plan.outgoing = [outgoing for outgoing in by_node.values() if outgoing.batches]
        for outgoing in plan.outgoing:
            self._in_flight[outgoing.node_id] = self._in_flight.get(outgoing.node_id, 0) + 1
        return plan

    def request(self, outgoing: ProduceBatches, version: int, now: float) -> ProduceRequest:
        """The request for these batches in a version of Produce.

        Batches with records that this version cannot store fail, and are taken out of `outgoing`.
        """
        by_id = version >= _BY_ID_SINCE
        magic = magic_of_produce(version)
        converted = {} if magic == NEWEST_MAGIC else self._converted(outgoing, magic, now)
        topics = outgoing.rows_by_topic(converted)
        return ProduceRequest(
            transactional_id=self._options.transactional_id,
            acks=self._options.acks,
            timeout_ms=int(self._options.request_timeout_s * 1000),
            topic_data=[
                TopicProduceData(
                    name=name, topic_id=self._view.topics[name].topic_id, partition_data=rows
                )
                if by_id
                else TopicProduceData(name=name, partition_data=rows)
                for name, rows in topics.items()
            ],
        )

    def answered(self, outgoing: ProduceBatches, response: ProduceResponse, now: float) -> bool:
        """Handle a response; return whether metadata should be requested."""
        self._in_flight[outgoing.node_id] -= 1
        for broker in response.node_endpoints:
            self._view.adopt_broker(Broker(broker.node_id, broker.host, broker.port, broker.rack))
        rows: dict[TopicPartition, PartitionProduceResponse] = {}
        for topic in response.responses:
            name = topic.name or self._view.topic_named(topic.topic_id) or ""
            for row in topic.partition_responses:
                rows[TopicPartition(name, row.index)] = row
        stale = False
        for batch in outgoing.batches:
            found = rows.get(batch.where)
            if found is None:
                error = BrokerError(
                    ErrorCode.UNKNOWN_SERVER_ERROR, "the broker did not answer for it"
                )
                self.outcomes.resolve(batch, ErrorCode.UNKNOWN_SERVER_ERROR, error, None, now)
                continue
            code = ErrorCode.of(found.error_code)
            error = BrokerError(found.error_code, found.error_message or code.text)
            self.outcomes.resolve(batch, code, error, found, now)
            stale |= code.stale_metadata and not self._hinted(batch.where, found)
        return stale

    def sent_unanswered(self, outgoing: ProduceBatches) -> None:
        """Requests with acks=0 are done once they are sent."""
        self._in_flight[outgoing.node_id] -= 1
        for batch in outgoing.batches:
            self._records.queues[batch.where].settled(batch)
            self.outcomes.settle(batch, StoredBatch())

    def failed(self, outgoing: ProduceBatches, error: KafkaError, now: float) -> None:
        """No response arrived: the connection was lost, or the request timed out."""
        self._in_flight[outgoing.node_id] -= 1
        for batch in outgoing.batches:
            self.outcomes.resolve(batch, error.code, error, None, now, answer=AppendResult.OPEN)

    def unsent(self, outgoing: ProduceBatches, error: KafkaError, now: float) -> None:
        """The request was never sent."""
        self._in_flight[outgoing.node_id] -= 1
        for batch in outgoing.batches:
            self.outcomes.resolve(batch, error.code, error, None, now, answer=AppendResult.REJECTED)

    def reconnected(self, node_id: int) -> None:
        """From now on, another connection to a broker is used."""
        for queue in list(self._records.queues.values()):
            if queue.leader[0] == node_id:
                queue.sent.disturbed()

    def _converted(
        self, outgoing: ProduceBatches, magic: int, now: float
    ) -> dict[ProducerBatch, Buffer]:
        found: dict[ProducerBatch, Buffer] = {}
        for batch in outgoing.batches:
            assert batch.payload is not None, "what is sent is built"
            try:
                found[batch] = as_messages(batch.payload, magic)
            except BrokerError as error:
                rejected = AppendResult.REJECTED
                self.outcomes.resolve(batch, error.code, error, None, now, answer=rejected)
        outgoing.batches = list(found)
        return found

    def _plan_queue(
        self,
        queue: PartitionQueue,
        now: float,
        can_send: Callable[[int], bool],
        by_node: dict[int, ProduceBatches],
        plan: SendPlan,
    ) -> None:
        node_id = self._destination(queue, now, plan)
        if node_id is None or self._waits_for_building(queue, plan):
            return
        outgoing = by_node.get(node_id)
        if outgoing is None:
            full = self._in_flight.get(node_id, 0) >= self._options.in_flight
            if full or not can_send(node_id):
                return
            outgoing = by_node[node_id] = ProduceBatches(node_id, [])
        size = queue.head().reserved
        if outgoing.batches and outgoing.size + size > self._options.max_request_size:
            return
        if self.transactions is not None and not self.transactions.takes_part(queue.where):
            return
        if queue.is_exhausted(self.producer_id):
            self.producer_id = NO_PRODUCER_ID
            return
        batch = queue.take(self.producer_id, self.producer_epoch)
        self.build(batch, (queue.sent.producer_id, batch.epoch, batch.sequence))
        outgoing.batches.append(batch)
        outgoing.size += len(batch.payload or b"")

    def _destination(self, queue: PartitionQueue, now: float, plan: SendPlan) -> int | None:
        """The broker for the first batch of a queue, if it can be sent now."""
        if not queue.gather():
            return None
        plan.wake(queue.oldest().created + self._options.delivery_timeout_s)
        if not queue.sendable(now, self._options.in_flight):
            if not queue.in_flight:
                plan.wake(queue.head().not_before)
            return None
        view = self._view.partition(*queue.where)
        if view is None or view.leader not in self._view.brokers:
            plan.leaders_wanted = True
            return None
        leader = view.leader, view.leader_epoch
        if leader != queue.leader:
            queue.leader = leader
            queue.sent.disturbed()
        return view.leader

    def build(self, batch: ProducerBatch, producer: tuple[int, int, int] = NO_PRODUCER) -> None:
        """Encode a closed batch, if not done yet; `producer` is (id, epoch, sequence)."""
        if batch.payload is not None:
            return
        appender = batch.appender
        assert appender is not None, "a batch is built or has its records"
        batch.payload = build(
            appender,
            self._options.codec,
            self._options.level,
            producer,
            transactional=self.transactions is not None,
        )
        batch.appender = None

    def _waits_for_building(self, queue: PartitionQueue, plan: SendPlan) -> bool:
        """Start building the next batches of a queue; return whether the first one is not built yet."""
        if not self.builds_elsewhere or self._options.codec is Codec.NONE:
            return False
        for batch in islice(queue.waiting, self._options.in_flight):
            if batch.payload is None and not batch.building:
                batch.building = True
                plan.to_build.append(batch)
        return queue.head().payload is None

    def _hinted(self, where: TopicPartition, row: PartitionProduceResponse) -> bool:
        """Whether the broker returned the new leader with the error (KIP-951)."""
        hint = row.current_leader
        return hint is not None and self._view.adopt_leader(
            where, hint.leader_id, hint.leader_epoch
        )
