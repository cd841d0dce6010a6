"""The calls of Producer about transactions. For asyncio; `client.sync.transactional` has the same."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from barnabas.client.aio.producer.producer_core import ProducerCore
from barnabas.client.aio.producer.transaction_driver import TransactionDriver
from barnabas.client.core.arguments.partition_arguments import Where, offsets_to
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.client.core.producer.transaction_states import ProducerTransactionState
from barnabas.errors import AbortableError, ConfigError, KafkaError
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

NOT_ABORTED = "transaction not aborted why=%s"


class Transactional:
    """The calls of a Producer with a transactional.id (KIP-98).

    Each call waits up to max.block.ms. Besides its own errors it raises ConfigError without a
    transactional.id, LocalProtocolError if called out of order, AbortableError if the transaction
    can only be aborted, and FatalError if you must create a new producer. An error that is
    `retriable` means that the call did not complete in time: call it again.
    """

    _core: ProducerCore

    async def init_transactions(self) -> None:
        """Make this the only producer of its transactional.id; call it once, before the first transaction.

        Other producers are fenced; a transaction that one of them left open is aborted.
        """
        await transaction_driver_of(self._core, "init_transactions").init()

    async def begin_transaction(self) -> None:
        """Begin a transaction: all records sent until its end are committed or aborted together."""
        await transaction_driver_of(self._core, "begin_transaction").begin()

    async def send_offsets_to_transaction(
        self, offsets: Mapping[Where, int], group_metadata: GroupMetadata, metadata: str = ""
    ) -> None:
        """Commit positions of a consumer's group together with the transaction.

        `offsets` are those of the next records to read. The group comes from the consumer's
        `group_metadata()`: members of old generations are refused (AbortableError). `metadata` is a
        text stored with each position.
        """
        transaction_driver = transaction_driver_of(self._core, "send_offsets_to_transaction")
        await transaction_driver.send_offsets(*offsets_and_group(offsets, group_metadata), metadata)

    async def commit_transaction(self) -> None:
        """Send everything queued, and commit the transaction.

        Raises:
            AbortableError: records were lost, or a coordinator refuses; nothing is committed.
        """
        await transaction_driver_of(self._core, "commit_transaction").commit()

    async def prepare_transaction(self) -> PreparedTransaction:
        """Send everything queued; another process may then commit or abort the transaction.

        That process passes the returned value to `Admin.end_transactions`. Closing the producer
        leaves the transaction open; `init_transactions`, here or elsewhere, aborts it. So does its
        coordinator after transaction.timeout.ms.

        Raises:
            AbortableError: records were lost.
        """
        return await transaction_driver_of(self._core, "prepare_transaction").prepare()

    async def abort_transaction(self) -> None:
        """Abort the transaction. Queued records are not sent any more."""
        await transaction_driver_of(self._core, "abort_transaction").abort()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """A transaction that is committed at the end of the `async with` block.

        It is aborted if an exception leaves the block, if the commit fails, or if the task is
        cancelled before the commit request. After that request it may still be committed.
        """
        await self.begin_transaction()
        try:
            yield
        except BaseException:
            await self._abort_quietly()
            raise
        try:
            await self.commit_transaction()
        except AbortableError:
            await self._abort_quietly()
            raise
        except asyncio.CancelledError:
            await self._end_quietly()
            raise

    async def _end_quietly(self) -> None:
        """Abort a transaction whose commit was interrupted."""
        transactions = transaction_driver_of(self._core, "transaction").transactions
        if transactions.state is not ProducerTransactionState.COMMITTING:
            await self._abort_quietly()
            return
        try:
            await self.commit_transaction()
        except KafkaError as error:
            log.warning("transaction not committed why=%s", error)

    async def _abort_quietly(self) -> None:
        try:
            await self.abort_transaction()
        except KafkaError as error:
            # The exception of the block must not be replaced by this one.
            log.warning(NOT_ABORTED, error)


def transaction_driver_of(core: ProducerCore, call: str) -> TransactionDriver:
    """The transaction driver of a producer.

    Raises:
        ConfigError: it has none; `call` needs it.
    """
    if core.transaction_driver is None:
        raise ConfigError(f"{call} needs transactional.id")
    core.check_usable()
    return core.transaction_driver


def offsets_and_group(
    offsets: Mapping[Where, int], group: GroupMetadata
) -> tuple[dict[TopicPartition, int], GroupMetadata]:
    """Check and convert a caller's offsets and group.

    Raises:
        TypeError: one of them has another type.
        InvalidArgument: an offset is negative.
    """
    if not isinstance(group, GroupMetadata):
        raise TypeError(f"pass the group as group_metadata() of the consumer, not as {group!r}")
    return offsets_to("send_offsets_to_transaction", offsets), group
