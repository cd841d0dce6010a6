"""The calls of Admin about transactions. For asyncio; `client.sync.transaction_admin` has the same.

What makes the requests is imported by the call: few programs end transactions, and all commands that
ask a cluster import Admin when they start.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.retries import persist
from barnabas.client.core.admin.transaction_descriptions import (
    TRANSACTION_STATES,
    ActiveProducer,
    HangingTransaction,
    TransactionDescription,
    TransactionListing,
)
from barnabas.client.core.arguments.list_arguments import chosen, listed
from barnabas.client.core.arguments.partition_arguments import Where, partitions_at
from barnabas.errors import InvalidArgument
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from barnabas.client.core.producer.transaction_requests import PreparedTransaction

_Result = TypeVar("_Result")


class TransactionAdmin:
    """The calls of Admin about transactions (KIP-664)."""

    _cluster: Cluster

    async def list_transactions(
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
        from barnabas.client.aio.admin.transaction_requests import listed_transactions

        what = "list_transactions(states=)"
        wanted = chosen(what, "state of a transaction", states, TRANSACTION_STATES)
        return await self._try(
            timeout_s,
            "listing transactions",
            lambda: listed_transactions(self._cluster, wanted, producer_ids, running_ms),
        )

    async def describe_transactions(
        self, transactional_ids: Iterable[str], *, timeout_s: float | None = None
    ) -> dict[str, TransactionDescription]:
        """Return transactional ids with the partitions of their transactions.

        Raises:
            BrokerError: TRANSACTIONAL_ID_NOT_FOUND, one of them is unknown.
        """
        from barnabas.client.aio.admin.transaction_requests import described_transaction

        names = listed("describe_transactions", transactional_ids, str, "['copier']")
        deadline = self._cluster.limits.deadline(timeout_s)
        found = {}
        for name in names:
            coordinator = Coordinator(self._cluster, name, of_transaction=True)
            asking = partial(described_transaction, coordinator)
            found[name] = await persist(
                self._cluster, deadline, f"describing transactional id {name}", asking
            )
        return found

    async def describe_producers(
        self, partitions: Iterable[Where], *, timeout_s: float | None = None
    ) -> dict[TopicPartition, list[ActiveProducer]]:
        """Return the producers that partitions remember, and the start of their open transactions."""
        from barnabas.client.aio.admin.transaction_requests import active_producers

        places = partitions_at(partitions)
        return await self._try(
            timeout_s, "describing producers", lambda: active_producers(self._cluster, places)
        )

    async def abort_transaction(
        self, where: Where, start: int, *, timeout_s: float | None = None
    ) -> None:
        """Abort the transaction that begins at `start` in one partition, and only there.

        For one that hangs: no coordinator knows of it. Raises BrokerError: INVALID_TXN_STATE where
        none begins there.
        """
        from barnabas.client.aio.admin.transaction_requests import aborted

        (place,) = partitions_at([where])
        await self._try(
            timeout_s, "aborting a transaction", lambda: aborted(self._cluster, place, start)
        )

    async def end_transactions(
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
        from barnabas.client.aio.admin.transaction_requests import ended
        from barnabas.client.core.producer.transaction_requests import PreparedTransaction

        given = "prepare_transaction()"
        prepared = listed("end_transactions", transactions, PreparedTransaction, given)

        async def end(one: "PreparedTransaction") -> None:
            name = one.transactional_id
            coordinator = Coordinator(self._cluster, name, of_transaction=True)
            await self._try(
                timeout_s,
                f"ending the transaction of {name}",
                lambda: ended(coordinator, one, commit=commit),
            )

        ending = [end(one) for one in prepared if one.begun]
        for outcome in await asyncio.gather(*ending, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def fence_producer(
        self, transactional_id: str, *, timeout_s: float | None = None
    ) -> None:
        """Fence the producer of a transactional id; its open transaction is aborted.

        Raises:
            InvalidArgument: the name is empty.
        """
        from barnabas.client.aio.admin.transaction_requests import fenced

        if not transactional_id:
            raise InvalidArgument("fence_producer: the transactional id is empty")
        coordinator = Coordinator(self._cluster, transactional_id, of_transaction=True)
        await self._try(timeout_s, f"fencing {transactional_id}", lambda: fenced(coordinator))

    async def hanging_transactions(
        self, partitions: Iterable[Where], idle_since_ms: int, *, timeout_s: float | None = None
    ) -> list[HangingTransaction]:
        """Return open transactions that no coordinator ends, of producers silent since a time (ms)."""
        from barnabas.client.aio.admin.transaction_requests import hanging

        places = partitions_at(partitions)
        return await self._try(
            timeout_s,
            "looking for transactions that hang",
            lambda: hanging(self._cluster, places, idle_since_ms),
        )

    async def _try(
        self, timeout_s: float | None, what: str, attempt: Callable[[], Awaitable[_Result]]
    ) -> _Result:
        return await persist(self._cluster, self._cluster.limits.deadline(timeout_s), what, attempt)
