"""Runs the transactions of one producer: requests to its coordinators, with retries.

`core.transactions` decides which calls are allowed, and what an error means. Make all calls on the
loop's thread, one at a time.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.retries import persist
from barnabas.client.core.arguments.deadline import MAX_BLOCK, Deadline
from barnabas.client.core.cluster.topic_ids import BY_NAME, TopicIds
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.accumulator import Accumulator
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.sender import Sender
from barnabas.client.core.producer.sequencing import NO_PRODUCER_ID
from barnabas.client.core.producer.transaction_requests import (
    ADD_PARTITIONS_AT_MOST,
    END_EXPLICIT_AT_MOST,
    INIT_AT_MOST,
    INIT_THAT_BUMPS,
    OFFSETS_BY_NAME_AT_MOST,
    OFFSETS_EXPLICIT_AT_MOST,
    PreparedTransaction,
    ProducerIdentity,
    refused_offsets,
    refused_partitions,
)
from barnabas.client.core.producer.transaction_states import (
    ProducerTransactionInput,
    ProducerTransactionState,
)
from barnabas.client.core.producer.transactions import FEATURE, ProducerTransactions
from barnabas.errors import AbortableError, ErrorCode, KafkaError
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_I = ProducerTransactionInput
_LAST_ONE_ENDS_S: Final = 0.02
"""How long the markers of the last transaction take. Source: Kafka's AddPartitionsToTxnHandler."""

Flush = Callable[[Deadline | None], Awaitable[None]]
"""Send everything queued, and wait up to the deadline for its outcome, whatever that is."""


class TransactionDriver:
    """The transactions of a producer. `flush`: see above.

    `look_again` is called when more may be sent than before.
    """

    def __init__(
        self,
        cluster: Cluster,
        sender: Sender,
        records: Accumulator,
        options: ProducerOptions,
        flush: Flush,
        look_again: Callable[[], None],
    ) -> None:
        assert sender.transactions is not None, "the sender knows of transactions"
        self.transactions: ProducerTransactions = sender.transactions
        self._cluster = cluster
        self._sender = sender
        self._records = records
        self._options = options
        self._flush = flush
        self._look_again = look_again
        self._name = self.transactions.transactional_id
        self._coordinator = Coordinator(cluster, self._name, of_transaction=True)
        self._groups: dict[str, Coordinator] = {}
        self._turn = asyncio.Lock()
        self._adding: asyncio.Task[None] | None = None
        self._hold()

    async def init(self) -> None:
        """Get a producer id and epoch, which fences earlier producers of this name and aborts their work.

        Raises:
            FatalError: they are unavailable.
            KafkaError: they were unavailable in time; you may call again.
        """
        async with self._turn_by(deadline := self._deadline()):
            if self.transactions.state is ProducerTransactionState.PREPARED:
                # The next epoch is unknown here, and the old one belongs to whoever ends that
                # transaction.
                self._call(NO_PRODUCER_ID, -1)
            self.transactions.move(_I.INIT)
            async with self._final(_I.INIT):
                await self._identify("beginning", deadline)
            self.transactions.move(_I.INITIATED)
            self._hold()

    async def begin(self) -> None:
        """Accept records from now on; sends no request."""
        async with self._turn_by(self._deadline()):
            self.transactions.move(_I.BEGIN)
            level = self._coordinator.level_of(FEATURE)
            if level is not None:
                self.transactions.set_version(level)
            self._records.resume()

    async def send_offsets(
        self, offsets: Mapping[TopicPartition, int], group: GroupMetadata, metadata: str
    ) -> None:
        """Save positions of a group with the transaction; `metadata` is stored with each.

        Raises:
            AbortableError: it failed, so the transaction cannot be committed.
            FatalError: the producer cannot continue.
        """
        async with self._turn_by(deadline := self._deadline()):
            transactions = self.transactions
            transactions.move(_I.OFFSETS)
            if not offsets:
                return
            try:
                if not transactions.implicit and group.group_id not in transactions.groups:
                    await self._add_group(group.group_id, deadline)
                await self._commit_offsets(offsets, group, metadata, deadline)
            except KafkaError as error:
                transactions.fail(error)
                self._look_again()
                raise transactions.refusal(_I.OFFSETS) from error
            except asyncio.CancelledError:
                transactions.fail(AbortableError("sending offsets was interrupted"))
                raise

    async def commit(self) -> None:
        """Store all records, then commit the transaction.

        Raises:
            AbortableError: records are lost, or the coordinator requires an abort.
            FatalError: the producer cannot continue.
            KafkaError: it did not complete in time; you may call again.
        """
        async with self._turn_by(deadline := self._deadline()):
            transactions = self.transactions
            transactions.move(_I.COMMIT)
            if transactions.state is ProducerTransactionState.FLUSHING:
                self._hold()
                await self._flushed(_I.COMMIT, deadline)
                transactions.move(_I.SETTLED)
            async with self._final(_I.COMMIT):
                await self._end(deadline, commit=True)
            transactions.move(_I.ENDED)
            self._hold()

    async def prepare(self) -> PreparedTransaction:
        """Store all records, then leave the end of the transaction to another process.

        Raises:
            AbortableError: records are lost.
            FatalError: the producer cannot continue.
            KafkaError: it did not complete in time; you may call again.
        """
        async with self._turn_by(deadline := self._deadline()):
            transactions = self.transactions
            transactions.move(_I.PREPARE)
            self._hold()
            await self._flushed(_I.PREPARE, deadline)
            transactions.move(_I.HANDED_OVER)
            me = self._me
            prepared = PreparedTransaction(
                me.transactional_id,
                me.producer_id,
                me.producer_epoch,
                transactions.begun,
                transactions.implicit,
            )
            transactions.over()
            self._hold()
            return prepared

    async def abort(self) -> None:
        """Abort the transaction. Queued records are never sent.

        Raises:
            FatalError: the producer cannot continue.
            KafkaError: it did not complete in time; you may call again.
        """
        async with self._turn_by(deadline := self._deadline()):
            transactions = self.transactions
            transactions.move(_I.ABORT)
            self._sender.outcomes.retract(
                AbortableError("the transaction was aborted before it was sent")
            )
            self.close()
            await self._flushed(_I.ABORT, deadline)
            async with self._final(_I.ABORT):
                await self._end(deadline, commit=False)
                if transactions.gap:
                    what = "continuing after records were lost"
                    await self._identify(what, deadline, INIT_THAT_BUMPS)
            transactions.move(_I.ENDED)
            self._hold()

    def add_wanted(self) -> None:
        """Add the partitions of queued records to the transaction; the records wait until then."""
        if self._adding is None:
            self._adding = self._cluster.environment.loop.create_task(self._add())

    def close(self) -> None:
        """Stop adding partitions."""
        if self._adding is not None:
            self._adding.cancel()
            self._adding = None

    def _deadline(self) -> Deadline:
        return self._cluster.limits.deadline_by(MAX_BLOCK, self._options.max_block_s)

    @asynccontextmanager
    async def _turn_by(self, deadline: Deadline) -> AsyncIterator[None]:
        """Run one call at a time; waiting for the previous one counts towards the time limit."""
        try:
            async with asyncio.timeout_at(deadline.at):
                await self._turn.acquire()
        except TimeoutError:
            what = f"transactional id {self._name}, waiting for another call of this producer"
            raise deadline.missed(what) from None
        try:
            yield
        finally:
            self._turn.release()

    def _hold(self) -> None:
        self._records.hold(self.transactions.refusal(_I.SEND))

    @property
    def _me(self) -> ProducerIdentity:
        return ProducerIdentity(self._name, self._sender.producer_id, self._sender.producer_epoch)

    def _call(self, producer_id: int, epoch: int) -> None:
        """Set the producer's id and epoch; sequence numbers start again."""
        self._sender.producer_id, self._sender.producer_epoch = producer_id, epoch
        self.transactions.gap = False

    async def _flushed(self, call: ProducerTransactionInput, deadline: Deadline) -> None:
        """Wait until all batches in flight have an outcome; the state records failures."""
        await self._flush(deadline)
        self._sender.outcomes.given_up.clear()
        if self.transactions.state in (
            ProducerTransactionState.FAILED,
            ProducerTransactionState.DEAD,
        ):
            raise self.transactions.refusal(call)

    @asynccontextmanager
    async def _final(self, call: ProducerTransactionInput) -> AsyncIterator[None]:
        """Turn a permanent error into a FatalError."""
        try:
            yield
        except KafkaError as error:
            if error.retriable:
                raise
            if call is _I.COMMIT and error.code is ErrorCode.TRANSACTION_ABORTABLE:
                self.transactions.fail(error)
            else:
                self.transactions.die(error)
            self._look_again()
            raise self.transactions.refusal(call) from error

    async def _identify(self, what: str, deadline: Deadline, at_least: int = 0) -> None:
        timeout_ms = self._options.transaction_timeout_ms
        request = self._me.init(timeout_ms)
        too_long = (
            f"transaction.timeout.ms={timeout_ms} exceeds the broker's transaction.max.timeout.ms"
        )

        async def attempt() -> Any:
            asked = self._coordinator.ask(request, at_least=at_least, at_most=INIT_AT_MOST)
            reply = await asked
            if reply.error_code == ErrorCode.INVALID_TRANSACTION_TIMEOUT:
                self._coordinator.check(reply.error_code, too_long)
            self._coordinator.check(reply.error_code, what)
            return reply

        reply = await self._persist(what, attempt, deadline)
        self._call(reply.producer_id, reply.producer_epoch)

    async def _add(self) -> None:
        """Retry until all partitions have been added, or the transaction cannot continue."""
        transactions = self.transactions
        failures = 0
        while transactions.wanted and transactions.sends:
            partitions = frozenset(transactions.wanted)
            transactions.begun = True
            try:
                request = self._me.add_partitions(partitions)
                reply = await self._coordinator.ask(request, at_most=ADD_PARTITIONS_AT_MOST)
                for where, code in refused_partitions(reply):
                    self._coordinator.check(code, f"adding {where.topic}-{where.partition}")
            except KafkaError as error:
                if not error.retriable:
                    transactions.fail(error)
                    break
                failures += 1
                ends = error.code is ErrorCode.CONCURRENT_TRANSACTIONS
                wait_s = self._cluster.retry_wait(failures)
                await asyncio.sleep(min(_LAST_ONE_ENDS_S, wait_s) if ends else wait_s)
            else:
                transactions.added(partitions)
                self._look_again()
        self._adding = None
        self._look_again()

    async def _add_group(self, group_id: str, deadline: Deadline) -> None:
        self.transactions.begun = True
        what = f"adding group {group_id}"
        request = self._me.add_group(group_id)

        async def attempt() -> None:
            reply = await self._coordinator.ask(request)
            self._coordinator.check(reply.error_code, what)

        await self._persist(what, attempt, deadline)
        self.transactions.added_group(group_id)

    async def _commit_offsets(
        self,
        offsets: Mapping[TopicPartition, int],
        group: GroupMetadata,
        metadata: str,
        deadline: Deadline,
    ) -> None:
        transactions = self.transactions
        coordinator = self._groups.setdefault(
            group.group_id, Coordinator(self._cluster, group.group_id)
        )
        by_name = OFFSETS_BY_NAME_AT_MOST if transactions.implicit else OFFSETS_EXPLICIT_AT_MOST
        topics = {where.topic for where in offsets} if transactions.implicit else ()
        ids = TopicIds(group.topic_ids, topics)
        transactions.begun = True

        async def attempt() -> None:
            nonlocal ids
            request = self._me.commit_offsets(group, offsets, ids, metadata)
            reply = await coordinator.ask(request, at_most=None if ids else by_name)
            refused = list(refused_offsets(reply, ids))
            if any(code == ErrorCode.UNKNOWN_TOPIC_ID for _, code in refused):
                ids = BY_NAME  # A consumer's epochs precede this transaction.
            for where, code in refused:
                coordinator.check(code, f"the offset of {where.topic}-{where.partition}")

        await self._persist(f"offsets of group {group.group_id}", attempt, deadline)

    async def _end(self, deadline: Deadline, *, commit: bool) -> None:
        transactions = self.transactions
        if not transactions.begun:
            transactions.over()
            return
        request = self._me.end(commit=commit)
        top = None if transactions.implicit else END_EXPLICIT_AT_MOST
        what = "committing" if commit else "aborting"

        async def attempt() -> Any:
            reply = await self._coordinator.ask(request, at_most=top)
            nothing = reply.error_code == ErrorCode.INVALID_TXN_STATE
            # Whether it started is unknown if the response was lost.
            if not (nothing and not commit and not transactions.confirmed):
                self._coordinator.check(reply.error_code, what)
            return reply

        reply = await self._persist(what, attempt, deadline)
        transactions.over()
        if reply.producer_id >= 0:
            self._call(reply.producer_id, reply.producer_epoch)

    async def _persist(
        self, what: str, attempt: Callable[[], Awaitable[Any]], deadline: Deadline
    ) -> Any:
        what = f"transactional id {self._name}, {what}"
        return await persist(self._cluster, deadline, what, attempt)
