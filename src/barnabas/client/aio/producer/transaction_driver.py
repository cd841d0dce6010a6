"""TransactionDriver: runs the transactions of one producer.

`core.transactions` decides which calls are allowed, and what an error means; `coordinator_requests` sends
the requests. Make all calls on the loop's thread, one at a time.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.producer.coordinator_requests import TransactionRequests
from barnabas.client.core.arguments.deadline import MAX_BLOCK, Deadline
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.accumulator import Accumulator
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.sender import Sender
from barnabas.client.core.producer.sequencing import NO_PRODUCER_ID
from barnabas.client.core.producer.transaction_requests import INIT_THAT_BUMPS, PreparedTransaction
from barnabas.client.core.producer.transaction_states import (
    ProducerTransactionInput,
    ProducerTransactionState,
)
from barnabas.client.core.producer.transactions import ProducerTransactions
from barnabas.errors import AbortableError, ErrorCode, KafkaError
from barnabas.types import TopicPartition

_I = ProducerTransactionInput

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
        self._requests = TransactionRequests(
            cluster, sender, self.transactions, options, look_again
        )
        self._turn = asyncio.Lock()
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
                self._requests.set_identity(NO_PRODUCER_ID, -1)
            self.transactions.move(_I.INIT)
            async with self._final(_I.INIT):
                await self._requests.identify("beginning", deadline)
            self.transactions.move(_I.INITIATED)
            self._hold()

    async def begin(self) -> None:
        """Accept records from now on; sends no request."""
        async with self._turn_by(self._deadline()):
            self.transactions.move(_I.BEGIN)
            level = self._requests.feature_level()
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
                    await self._requests.add_group(group.group_id, deadline)
                await self._requests.commit_offsets(offsets, group, metadata, deadline)
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
                await self._requests.end(deadline, commit=True)
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
            me = self._requests.identity
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
                await self._requests.end(deadline, commit=False)
                if transactions.gap:
                    what = "continuing after records were lost"
                    await self._requests.identify(what, deadline, INIT_THAT_BUMPS)
            transactions.move(_I.ENDED)
            self._hold()

    def add_wanted(self) -> None:
        """Add the partitions of queued records to the transaction; the records wait until then."""
        self._requests.add_wanted()

    def close(self) -> None:
        """Stop adding partitions."""
        self._requests.close()

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
