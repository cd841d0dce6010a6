"""BatchOutcomes: what becomes of batches: stored, sent again, split, expired, failed. No I/O, no clock."""

import logging

from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.client.core.cluster.retry import Backoff
from barnabas.client.core.producer.accumulator import Accumulator
from barnabas.client.core.producer.delivery import FailedBatch, StoredBatch
from barnabas.client.core.producer.failed_batches import FailedBatches, in_doubt
from barnabas.client.core.producer.idempotence import (
    Action,
    AppendResult,
    Circumstances,
    answer_of,
    decide,
)
from barnabas.client.core.producer.partition_queue import PartitionQueue
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.sequencing import NO_PRODUCER_ID
from barnabas.client.core.producer.splitting import split
from barnabas.client.core.producer.transaction_states import ProducerTransactionInput
from barnabas.client.core.producer.transactions import ProducerTransactions
from barnabas.errors import ErrorCode, KafkaError, RequestTimeout
from barnabas.protocol.produce import (
    PartitionProduceResponse,
)

log = logging.getLogger(__name__)


class BatchOutcomes:
    """The outcomes of all batches of a producer."""

    def __init__(
        self,
        options: ProducerOptions,
        view: ClusterView,
        records: Accumulator,
        backoff: Backoff,
        transactions: ProducerTransactions | None,
    ) -> None:
        self.transactions = transactions
        self.given_up = FailedBatches()
        self.stored_records = self.failed_records = 0
        self._options = options
        self._view = view
        self._records = records
        self._backoff = backoff

    def give_up(self, error: KafkaError) -> None:
        """Fail all waiting batches, and accept no more: the producer can never send again."""
        self._records.shut(error)
        for queue in self._records.queues.values():
            queue.gather()
            for batch in queue.retries():
                queue.given_up(batch)
                self._fail(batch, error)
            for batch in queue.retract():
                self._fail(batch, error)

    def retract(self, error: KafkaError) -> None:
        """Accept no records for now, and fail unsent ones: their transaction cannot be committed."""
        self._records.hold(error)
        for queue in self._records.queues.values():
            queue.gather()
            for batch in queue.retract():
                self.settle(batch, FailedBatch(error))

    def abandon(self, error: KafkaError) -> None:
        """Like `give_up`, but also fail what is in flight: later responses must not be passed in."""
        for queue in self._records.queues.values():
            for batch in list(queue.in_flight):
                queue.sent.left_open(batch)
                queue.given_up(batch)
                self._fail(batch, error)
        self.give_up(error)

    def resolve(
        self,
        batch: ProducerBatch,
        code: ErrorCode,
        error: KafkaError,
        row: PartitionProduceResponse | None,
        now: float,
        *,
        answer: AppendResult | None = None,
    ) -> None:
        """Apply the code of a batch: it is stored, sent again, split, or failed with `error`.

        `row`: the response for its partition, if there is one. `answer`: what the code says about the
        append, if that is known without it.
        """
        queue = self._records.queues[batch.where]
        batch.last_error = error
        answer = answer_of(code) if answer is None else answer
        match self._action(queue, batch, code, answer, now):
            case Action.STORED:
                outcome = StoredBatch()
                if answer is AppendResult.STORED:
                    for proven in queue.stored(batch, now):
                        self.settle(proven, outcome)
                    if row is not None and code is ErrorCode.NONE:
                        outcome = StoredBatch(row.base_offset, row.log_append_time_ms)
                else:
                    queue.settled(batch)
                self.settle(batch, outcome)
            case Action.SPLIT:
                in_transaction = self.transactions is not None
                codec, level = self._options.codec, self._options.level
                parts = split(batch, codec, level, transactional=in_transaction)
                queue.replace(batch, parts)
                self._records.replaced(batch, parts)
                batch.split_into(parts)
            case Action.RETRY:
                log.debug(
                    "batch tried again where=%s attempts=%d why=%s",
                    batch.where,
                    batch.attempts,
                    error,
                )
                queue.again(batch, now + self._backoff.seconds(batch.attempts + 1))
            case Action.FAIL:
                queue.given_up(batch)
                self._fail(batch, error)

    def _action(
        self,
        queue: PartitionQueue,
        batch: ProducerBatch,
        code: ErrorCode,
        answer: AppendResult,
        now: float,
    ) -> Action:
        sent = queue.sent
        if answer is AppendResult.OPEN:
            sent.left_open(batch)
        elif answer is AppendResult.OUT_OF_ORDER:
            if sent.is_surely_stored(batch):
                return Action.STORED
            sent.out_of_order(batch)
        in_time = now < batch.created + self._options.delivery_timeout_s
        case = Circumstances(
            idempotent=sent.producer_id != NO_PRODUCER_ID,
            early=sent.batches[0] is not batch,
            splittable=batch.count > 1,
            may_retry=in_time and batch.attempts < self._options.retries,
            may_renew=self.transactions is None,
        )
        return decide(code, case)

    def expire(self, queue: PartitionQueue, now: float) -> None:
        """Fail batches that were not delivered within delivery.timeout.ms."""
        for batch in queue.overdue(now - self._options.delivery_timeout_s):
            if queue.sent.is_surely_stored(batch):
                queue.settled(batch)
                self.settle(batch, StoredBatch())
                continue
            queue.given_up(batch)
            seconds = self._options.delivery_timeout_s
            last = f"; last error: {batch.last_error}" if batch.last_error else ""
            if not last and self._view.leader(batch.where) is None:
                last = "; its partition has no known leader"
            why = RequestTimeout(
                f"not delivered within delivery.timeout.ms ({seconds:g} s) after {batch.attempts} "
                f"attempts{last}"
            )
            self._fail(batch, why)
        for batch in queue.lost():
            queue.given_up(batch)
            self._fail(batch, batch.last_error or RequestTimeout("no answer"))

    def _fail(self, batch: ProducerBatch, error: KafkaError) -> None:
        if self.transactions is not None:
            error = self.transactions.lost(batch, error)
        elif batch.in_doubt:
            error = in_doubt(error)
        self.given_up.add(batch, error)
        self.settle(batch, FailedBatch(error))

    def follow(self, transactions: ProducerTransactions) -> None:
        """Drop what cannot be in a committed transaction."""
        if transactions.fatal is not None:
            self.give_up(transactions.refusal(ProducerTransactionInput.SEND))
        elif transactions.doomed:
            self.retract(transactions.refusal(ProducerTransactionInput.SEND))

    def settle(self, batch: ProducerBatch, outcome: StoredBatch | FailedBatch) -> None:
        """Give a batch its outcome, and free its memory."""
        self._records.release(batch)
        if isinstance(outcome, StoredBatch):
            self.stored_records += batch.count
        else:
            self.failed_records += batch.count
        batch.settle(outcome)
