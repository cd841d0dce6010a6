"""The calls of Producer about transactions. For asyncio; `client.sync.transactional` has the same."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from barnabas.client.aio.producer.producer_core import Shipping
from barnabas.client.aio.producer.transaction_driver import Transactor
from barnabas.client.core.arguments.where import Where, offsets_to
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.client.core.producer.transaction_states import TransactionState
from barnabas.errors import AbortableError, ConfigError, KafkaError
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

NOT_ABORTED = "transaction not aborted why=%s"


class Transactional:
    """What a Producer with a transactional.id can do (KIP-98).

    Each call waits up to max.block.ms. Besides what is said there it raises ConfigError where there
    is no transactional.id, LocalProtocolError where it comes out of order, AbortableError where the
    transaction can only be aborted, and FatalError where a new producer must be made. An error that
    is `retriable` means that it was not done in time: call the same again.
    """

    _shipping: Shipping

    async def init_transactions(self) -> None:
        """Make this the only producer of its transactional.id, once, before the first transaction.

        Others are fenced; a transaction that one of them left open is aborted.
        """
        await transactor_of(self._shipping, "init_transactions").init()

    async def begin_transaction(self) -> None:
        """Begin: all records that are sent until the end of the transaction count together."""
        await transactor_of(self._shipping, "begin_transaction").begin()

    async def send_offsets_to_transaction(
        self, offsets: Mapping[Where, int], group_metadata: GroupMetadata, metadata: str = ""
    ) -> None:
        """Commit positions of a consumer's group if the transaction is committed.

        `offsets` are those of the next records to read, and the group is what `group_metadata()` of
        the consumer says: members of old generations are refused (AbortableError). `metadata` is a
        text that is kept with each position.
        """
        transactor = transactor_of(self._shipping, "send_offsets_to_transaction")
        await transactor.send_offsets(*offsets_and_group(offsets, group_metadata), metadata)

    async def commit_transaction(self) -> None:
        """Send all that is in line, and have it all count.

        Raises:
            AbortableError: records were lost, or a coordinator refuses; nothing counts.
        """
        await transactor_of(self._shipping, "commit_transaction").commit()

    async def prepare_transaction(self) -> PreparedTransaction:
        """Send all that is in line; another process may then commit or abort the transaction.

        `Admin.end_transactions` does that with what this returns. Closing the producer leaves the
        transaction open; `init_transactions`, here or elsewhere, aborts it. So does its coordinator
        after transaction.timeout.ms.

        Raises:
            AbortableError: records were lost.
        """
        return await transactor_of(self._shipping, "prepare_transaction").prepare()

    async def abort_transaction(self) -> None:
        """Have none of it count. Records that are still in line are not sent any more."""
        await transactor_of(self._shipping, "abort_transaction").abort()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """A transaction that is committed at the end of the `async with` block.

        Aborted where an exception leaves the block, or where it cannot be committed, or the task is
        cancelled before the coordinator was asked to; after that it is committed all the same.
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
        """Leave nothing open of a transaction whose commit was interrupted."""
        told = transactor_of(self._shipping, "transaction").transactions
        if told.state is not TransactionState.COMMITTING:
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
            # Who reads the exception of the block must not find this one in its place.
            log.warning(NOT_ABORTED, error)


def transactor_of(shipping: Shipping, call: str) -> Transactor:
    """Who carries out the transactions of a producer.

    Raises:
        ConfigError: nobody does; `call` needs it.
    """
    if shipping.transactor is None:
        raise ConfigError(f"{call} needs transactional.id")
    shipping.check_usable()
    return shipping.transactor


def offsets_and_group(
    offsets: Mapping[Where, int], group: GroupMetadata
) -> tuple[dict[TopicPartition, int], GroupMetadata]:
    """What a caller means by offsets of a group.

    Raises:
        TypeError: one of them is something else.
        InvalidArgument: an offset is below 0.
    """
    if not isinstance(group, GroupMetadata):
        raise TypeError(f"the group is told by group_metadata() of the consumer, not by {group!r}")
    return offsets_to("send_offsets_to_transaction", offsets), group
