"""Shared code of both kinds of producer: queued records, sending, closing.

They differ in how a caller waits for space or an outcome, which is not here. Make all calls on the
loop's thread, except those that queue records.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.cluster.wake import Wake
from barnabas.client.aio.producer.send_driver import SendDriver
from barnabas.client.aio.producer.transaction_driver import TransactionDriver
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.arguments.record_input import GivenRecord
from barnabas.client.core.cluster.cluster_view import TopicView
from barnabas.client.core.cluster.retry import Backoff
from barnabas.client.core.metrics import Metrics
from barnabas.client.core.producer.accumulator import Accumulator
from barnabas.client.core.producer.bulk_encoder import BulkEncoder
from barnabas.client.core.producer.delivery import DeliveryWaiter, failure_of
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.sender import Sender
from barnabas.client.core.producer.transactions import ProducerTransactions
from barnabas.config.clients import ProducerConfig
from barnabas.errors import KafkaError, LocalProtocolError
from barnabas.kernels.batches.objects import Delivery
from barnabas.records.columns.encoding import Encoded
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)


class ProducerCore:
    """The state machines of one producer.

    `on_progress` is called on the loop when space may be free.

    `transaction_driver` exists if the producer has a transactional id. `lock` guards the state shared by
    callers' threads and the loop; None if everything runs on the loop.
    """

    def __init__(
        self,
        config: ProducerConfig,
        environment: ClientEnvironment,
        lock: AbstractContextManager[object] | None,
        waits: DeliveryWaiter,
        on_progress: Callable[[], None],
    ) -> None:
        self.options = ProducerOptions.of(config)
        self.cluster = Cluster(config, environment)
        self.cluster.metadata.creates_topics = True
        self.records = Accumulator(self.options, environment.entropy, lock or nullcontext(), waits)
        self.bulk = BulkEncoder(self.options)
        self.closed = False
        backoff = Backoff(config.retry_backoff_ms, config.retry_backoff_max_ms, environment.entropy)
        name = self.options.transactional_id
        transactions = None if name is None else ProducerTransactions(name)
        self._sender = Sender(self.options, self.cluster.view, self.records, backoff, transactions)
        self._send_driver = SendDriver(self.cluster, self._sender, self.options, on_progress)
        self._loop = environment.loop
        # On the user's own loop, compressing batches must not block for long.
        self._sender.builds_elsewhere = lock is None
        self._poke = self._send_driver.poke
        self.transaction_driver: TransactionDriver | None = None
        if transactions is not None:
            self.transaction_driver = self._transacting()

    def append(self, view: TopicView, partition: int | None, record: GivenRecord) -> Any:
        """Queue a record; return its Delivery, or None without space. Any thread.

        Raises:
            KafkaError: the producer is closed or has failed; otherwise as the accumulator.
        """
        self.check_usable()
        delivery: Delivery | None = self.records.append(view, partition, record, self._loop.time())
        self._tell_news()
        return delivery

    def add(self, where: TopicPartition, encoded: Encoded) -> ProducerBatch | None:
        """Queue a batch; None without space. Any thread. Errors as in `append`."""
        self.check_usable()
        now = self._loop.time()
        batch = self.records.add_built(where, encoded.batch, encoded.count, now)
        self._tell_news()
        return batch

    def metrics(self) -> Metrics:
        """Counters so far. Any thread."""
        outcomes = self._sender.outcomes
        return replace(
            self.cluster.metrics(outcomes.stored_records), failed_records=outcomes.failed_records
        )

    async def flush(self, timeout_s: float | None) -> None:
        """Send everything queued now and wait for it.

        Raises:
            RequestTimeout: that took longer than `timeout_s` seconds; sending continues.
            BrokerError: records expired, and nothing has reported that yet.
        """
        await self._flush_by(None if timeout_s is None else self.cluster.limits.deadline(timeout_s))

    async def _flush_by(self, deadline: Deadline | None) -> None:
        await self._all_settled(deadline)
        self._sender.outcomes.given_up.raise_first()

    async def _all_settled(self, deadline: Deadline | None) -> None:
        """Like `flush`, whatever the outcomes are."""
        self._sender.flush_begins()
        self._send_driver.look_again()
        try:
            with self.records.lock:
                left = list(self.records.unsettled)
            async with asyncio.timeout_at(None if deadline is None else deadline.at):
                for batch in left:
                    await _settled(batch)
        except TimeoutError:
            assert deadline is not None, "there was one to miss"
            count = sum(not batch.settled for batch in left)
            raise deadline.missed(f"flush, {count} batches are still in flight") from None
        finally:
            self._sender.flush_ends()

    async def close(self, timeout_s: float | None) -> None:
        """Refuse further records, flush, then stop. Records not stored in time fail.

        Raises:
            KafkaError: as in `flush`; failures of transactional records are reported by the transaction.
        """
        deadline = None if timeout_s is None else self.cluster.limits.deadline(timeout_s)
        self._sender.closing = True
        self.records.shut(LocalProtocolError("the producer is closed"))
        try:
            if self.transaction_driver is None:
                await self._flush_by(deadline)
            elif timeout_s != 0:
                await _end_open(self.transaction_driver, deadline)
                await self._all_settled(deadline)
        finally:
            self.drop("the producer was closed before this was known stored")

    def drop(self, why: str) -> None:
        """Stop at once: records without an outcome fail."""
        self.closed = True
        if self.transaction_driver is not None:
            self.transaction_driver.close()
        self._send_driver.close()
        self._sender.outcomes.abandon(LocalProtocolError(why))

    def mourn(self, why: str) -> None:
        """Report what is lost, unless it is closed: neither loop nor connections exist any more."""
        if self.closed:
            return
        self.closed = True
        gone = LocalProtocolError(why)
        self.records.shut(gone)
        for batch in self.records.unsettled:
            log.error("records lost %s", failure_of(batch.where, batch.count, gone))

    def _transacting(self) -> TransactionDriver:
        transaction_driver = TransactionDriver(
            self.cluster,
            self._sender,
            self.records,
            self.options,
            self._all_settled,
            self._send_driver.look_again,
        )
        self._send_driver.add_partitions = transaction_driver.add_wanted
        return transaction_driver

    def check_usable(self) -> None:
        """Refuse if nothing can be sent any more.

        Raises:
            KafkaError: the producer is closed or has failed.
        """
        if self.closed:
            raise LocalProtocolError("the producer is closed")
        if self._send_driver.fatal is not None:
            raise self._send_driver.fatal

    def _tell_news(self) -> None:
        if self.records.news:
            self.records.news = False
            self._poke()


async def _end_open(transaction_driver: TransactionDriver, deadline: Deadline | None) -> None:
    """Abort an open transaction: it would block consumers until its timeout."""
    transactions = transaction_driver.transactions
    if not transactions.undecided:
        return
    who = transactions.transactional_id
    log.warning("an open transaction is aborted, as its producer is closed id=%s", who)
    try:
        async with asyncio.timeout_at(None if deadline is None else deadline.at):
            await transaction_driver.abort()
    except (KafkaError, TimeoutError) as error:
        why = error if isinstance(error, KafkaError) else f"no time is left of {deadline}"
        log.warning("transaction not aborted id=%s why=%s", who, why)


async def _settled(batch: ProducerBatch) -> None:
    """Return when all records of a batch have an outcome."""
    loop = asyncio.get_running_loop()
    while (part := batch.unsettled_part()) is not None:
        future: asyncio.Future[None] = loop.create_future()
        part.when_settled(Wake(future))
        await future
