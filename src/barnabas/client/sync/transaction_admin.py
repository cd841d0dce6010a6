"""The calls of Admin about transactions, for threads: see `client.aio.admin.transaction_admin`."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.core.admin.transaction_descriptions import (
    ActiveProducer,
    HangingTransaction,
    TransactionDescription,
    TransactionListing,
)
from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.sync.caller_client import CallerClient
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from barnabas.client.core.producer.transaction_requests import PreparedTransaction


class TransactionAdmin:
    """The calls of Admin about transactions (KIP-664)."""

    _hosted: CallerClient[AsyncAdmin]
    _admin: AsyncAdmin

    def list_transactions(
        self,
        *,
        states: Collection[str] = (),
        producer_ids: Collection[int] = (),
        running_ms: int = -1,
        timeout_s: float | None = None,
    ) -> list[TransactionListing]:
        """List transactional ids: all, or by TRANSACTION_STATES, by producers, or open for a minimum time.

        Raises:
            InvalidArgument: there is no such state.
        """
        work = self._admin.list_transactions(
            states=states, producer_ids=producer_ids, running_ms=running_ms, timeout_s=timeout_s
        )
        return self._hosted.run(work)

    def describe_transactions(
        self, transactional_ids: Iterable[str], *, timeout_s: float | None = None
    ) -> dict[str, TransactionDescription]:
        """Return transactional ids with the partitions of their transactions.

        Raises:
            BrokerError: TRANSACTIONAL_ID_NOT_FOUND, one of them is unknown.
        """
        work = self._admin.describe_transactions(transactional_ids, timeout_s=timeout_s)
        return self._hosted.run(work)

    def describe_producers(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, list[ActiveProducer]]:
        """Return the producers that partitions remember, and the start of their open transactions."""
        return self._hosted.run(self._admin.describe_producers(partitions, timeout_s=timeout_s))

    def abort_transaction(
        self, where: Where, start: int, *, timeout_s: float | None = None
    ) -> None:
        """Abort the transaction that starts at `start` in one partition, and only there."""
        self._hosted.run(self._admin.abort_transaction(where, start, timeout_s=timeout_s))

    def end_transactions(
        self,
        transactions: "Iterable[PreparedTransaction]",
        *,
        commit: bool,
        timeout_s: float | None = None,
    ) -> None:
        """Commit or abort transactions prepared by producers of any process, all at once.

        Each one ends independently of the others, and the first error is raised. After an error you
        may repeat the call: transactions that have ended stay so.

        Raises:
            BrokerError: PRODUCER_FENCED or INVALID_PRODUCER_EPOCH, a producer has started again with
                this transactional id, or the coordinator has aborted the transaction after its
                timeout; INVALID_TXN_STATE, the same, or it was ended the other way.
        """
        work = self._admin.end_transactions(transactions, commit=commit, timeout_s=timeout_s)
        self._hosted.run(work)

    def fence_producer(self, transactional_id: str, *, timeout_s: float | None = None) -> None:
        """Fence the producer of a transactional id; its open transaction is aborted.

        Raises:
            InvalidArgument: the name is empty.
        """
        self._hosted.run(self._admin.fence_producer(transactional_id, timeout_s=timeout_s))

    def hanging_transactions(
        self, partitions: Iterable[Where], idle_since_ms: int, *, timeout_s: float | None = None
    ) -> list[HangingTransaction]:
        """Return open transactions that no coordinator ends, of producers silent since a time (ms)."""
        work = self._admin.hanging_transactions(partitions, idle_since_ms, timeout_s=timeout_s)
        return self._hosted.run(work)
