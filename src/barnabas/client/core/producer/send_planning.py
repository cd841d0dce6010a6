"""Decides which batches go to which broker, and when. No I/O, no clock."""

from collections.abc import Callable
from itertools import islice

from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.client.core.cluster.retry import Backoff
from barnabas.client.core.producer.accumulator import Accumulator
from barnabas.client.core.producer.batch_outcomes import BatchOutcomes
from barnabas.client.core.producer.partition_queue import PartitionQueue
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.send_plan import ProduceBatches, SendPlan
from barnabas.client.core.producer.sequencing import NO_PRODUCER_ID
from barnabas.client.core.producer.transactions import ProducerTransactions
from barnabas.records.batches.builder import NO_PRODUCER, build
from barnabas.records.codecs.compression import Codec


class SendPlanner:
    """Plans the requests of a producer.

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
