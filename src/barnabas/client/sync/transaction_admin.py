"""The calls of Admin about transactions, for plain threads: as `client.aio.admin.transaction_admin`."""

from collections.abc import Collection, Iterable

from barnabas.client.aio.admin.admin import Admin as AsyncAdmin
from barnabas.client.core.admin.transaction_descriptions import (
    ActiveProducer,
    HangingTransaction,
    TransactionDescription,
    TransactionListing,
)
from barnabas.client.core.arguments.where import Where
from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.client.sync.hosted import Hosted
from barnabas.types import TopicPartition


class TransactionAdmin:
    """What Admin has of transactions (KIP-664)."""

    _hosted: Hosted[AsyncAdmin]
    _admin: AsyncAdmin

    def list_transactions(
        self,
        *,
        states: Collection[str] = (),
        producer_ids: Collection[int] = (),
        running_ms: int = -1,
        timeout_s: float | None = None,
    ) -> list[TransactionListing]:
        """Transactional ids: all, or of some TRANSACTION_STATES and producers, or open for so long.

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
        """Transactional ids with what takes part in their transactions.

        Raises:
            BrokerError: TRANSACTIONAL_ID_NOT_FOUND, one of them is not known.
        """
        work = self._admin.describe_transactions(transactional_ids, timeout_s=timeout_s)
        return self._hosted.run(work)

    def describe_producers(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, list[ActiveProducer]]:
        """The producers that partitions remember, and where their open transactions begin."""
        return self._hosted.run(self._admin.describe_producers(partitions, timeout_s=timeout_s))

    def abort_transaction(
        self, where: Where, start: int, *, timeout_s: float | None = None
    ) -> None:
        """Abort the transaction that begins at `start` in one partition, and only there."""
        self._hosted.run(self._admin.abort_transaction(where, start, timeout_s=timeout_s))

    def end_transactions(
        self,
        transactions: Iterable[PreparedTransaction],
        *,
        commit: bool,
        timeout_s: float | None = None,
    ) -> None:
        """Commit or abort what producers of any process have prepared, all at once.

        Each is ended whatever becomes of the others, and the first error is raised. After an error
        the same call may be made again: those that were ended stay so.

        Raises:
            BrokerError: PRODUCER_FENCED or INVALID_PRODUCER_EPOCH, a producer has begun anew with
                this transactional id, or the coordinator has aborted the transaction after its
                timeout; INVALID_TXN_STATE, that too, or it was ended the other way.
        """
        work = self._admin.end_transactions(transactions, commit=commit, timeout_s=timeout_s)
        self._hosted.run(work)

    def fence_producer(self, transactional_id: str, *, timeout_s: float | None = None) -> None:
        """Take a transactional id from its producer; what it has open is aborted.

        Raises:
            InvalidArgument: the name is empty.
        """
        self._hosted.run(self._admin.fence_producer(transactional_id, timeout_s=timeout_s))

    def hanging_transactions(
        self, partitions: Iterable[Where], idle_since_ms: int, *, timeout_s: float | None = None
    ) -> list[HangingTransaction]:
        """Open transactions that no coordinator ends, of producers silent since a time (ms)."""
        work = self._admin.hanging_transactions(partitions, idle_since_ms, timeout_s=timeout_s)
        return self._hosted.run(work)
