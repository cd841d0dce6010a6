"""TransactionRequests: the requests that a producer's transactions send to coordinators, with retries.

Which requests a call makes, and what their errors mean for the transaction, decides `transaction_driver`.
Make all calls on the loop's thread.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.retries import persist
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.cluster.topic_ids import BY_NAME, TopicIds
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.producer.producer_options import ProducerOptions
from barnabas.client.core.producer.sender import Sender
from barnabas.client.core.producer.transaction_requests import (
    ADD_PARTITIONS_AT_MOST,
    END_EXPLICIT_AT_MOST,
    INIT_AT_MOST,
    OFFSETS_BY_NAME_AT_MOST,
    OFFSETS_EXPLICIT_AT_MOST,
    ProducerIdentity,
    refused_offsets,
    refused_partitions,
)
from barnabas.client.core.producer.transactions import FEATURE, ProducerTransactions
from barnabas.errors import ErrorCode, KafkaError
from barnabas.types import TopicPartition

_LAST_ONE_ENDS_S: Final = 0.02
"""How long the markers of the last transaction take. Source: Kafka's AddPartitionsToTxnHandler."""


class TransactionRequests:
    """Requests to the coordinators of a transactional id and of the groups whose offsets it saves.

    `look_again` is called when more may be sent than before.
    """

    def __init__(
        self,
        cluster: Cluster,
        sender: Sender,
        transactions: ProducerTransactions,
        options: ProducerOptions,
        look_again: Callable[[], None],
    ) -> None:
        self._cluster = cluster
        self._sender = sender
        self._transactions = transactions
        self._options = options
        self._look_again = look_again
        self._name = transactions.transactional_id
        self._coordinator = Coordinator(cluster, self._name, of_transaction=True)
        self._groups: dict[str, Coordinator] = {}
        self._adding: asyncio.Task[None] | None = None

    @property
    def identity(self) -> ProducerIdentity:
        """The transactional id with the producer's id and epoch."""
        return ProducerIdentity(self._name, self._sender.producer_id, self._sender.producer_epoch)

    def set_identity(self, producer_id: int, epoch: int) -> None:
        """Set the producer's id and epoch; sequence numbers start again."""
        self._sender.producer_id, self._sender.producer_epoch = producer_id, epoch
        self._transactions.gap = False

    def feature_level(self) -> int | None:
        """The level of transaction.version at the coordinator; None if it reports none."""
        return self._coordinator.level_of(FEATURE)

    async def identify(self, what: str, deadline: Deadline, at_least: int = 0) -> None:
        """Get a producer id and epoch with InitProducerId, in version `at_least` or later."""
        timeout_ms = self._options.transaction_timeout_ms
        request = self.identity.init(timeout_ms)
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
        self.set_identity(reply.producer_id, reply.producer_epoch)

    def add_wanted(self) -> None:
        """Add the partitions of queued records to the transaction; the records wait until then."""
        if self._adding is None:
            self._adding = self._cluster.environment.loop.create_task(self._add())

    def close(self) -> None:
        """Stop adding partitions."""
        if self._adding is not None:
            self._adding.cancel()
            self._adding = None

    async def _add(self) -> None:
        """Retry until all partitions have been added, or the transaction cannot continue."""
        transactions = self._transactions
        failures = 0
        while transactions.wanted and transactions.sends:
            partitions = frozenset(transactions.wanted)
            transactions.begun = True
            try:
                request = self.identity.add_partitions(partitions)
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

    async def add_group(self, group_id: str, deadline: Deadline) -> None:
        """Add a group, whose offsets will follow, to the transaction."""
        self._transactions.begun = True
        what = f"adding group {group_id}"
        request = self.identity.add_group(group_id)

        async def attempt() -> None:
            reply = await self._coordinator.ask(request)
            self._coordinator.check(reply.error_code, what)

        await self._persist(what, attempt, deadline)
        self._transactions.added_group(group_id)

    async def commit_offsets(
        self,
        offsets: Mapping[TopicPartition, int],
        group: GroupMetadata,
        metadata: str,
        deadline: Deadline,
    ) -> None:
        """Save positions of a group with the transaction; `metadata` is stored with each."""
        transactions = self._transactions
        coordinator = self._groups.setdefault(
            group.group_id, Coordinator(self._cluster, group.group_id)
        )
        by_name = OFFSETS_BY_NAME_AT_MOST if transactions.implicit else OFFSETS_EXPLICIT_AT_MOST
        topics = {where.topic for where in offsets} if transactions.implicit else ()
        ids = TopicIds(group.topic_ids, topics)
        transactions.begun = True

        async def attempt() -> None:
            nonlocal ids
            request = self.identity.commit_offsets(group, offsets, ids, metadata)
            reply = await coordinator.ask(request, at_most=None if ids else by_name)
            refused = list(refused_offsets(reply, ids))
            if any(code == ErrorCode.UNKNOWN_TOPIC_ID for _, code in refused):
                ids = BY_NAME  # A consumer's epochs precede this transaction.
            for where, code in refused:
                coordinator.check(code, f"the offset of {where.topic}-{where.partition}")

        await self._persist(f"offsets of group {group.group_id}", attempt, deadline)

    async def end(self, deadline: Deadline, *, commit: bool) -> None:
        """Commit or abort the transaction; without anything in it, no request is sent."""
        transactions = self._transactions
        if not transactions.begun:
            transactions.over()
            return
        request = self.identity.end(commit=commit)
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
            self.set_identity(reply.producer_id, reply.producer_epoch)

    async def _persist(
        self, what: str, attempt: Callable[[], Awaitable[Any]], deadline: Deadline
    ) -> Any:
        what = f"transactional id {self._name}, {what}"
        return await persist(self._cluster, deadline, what, attempt)
