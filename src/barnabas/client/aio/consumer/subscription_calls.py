"""The calls of Consumer about its group. For asyncio."""

from barnabas.client.aio.consumer.position_calls import PositionCalls
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.group.listener import RebalanceListener
from barnabas.client.core.group.wanted_topics import Topics, wanted_topics
from barnabas.errors import LocalProtocolError


class SubscriptionCalls(PositionCalls):
    """What a Consumer does as a member of its group."""

    def subscribe(self, topics: Topics, *, listener: RebalanceListener | None = None) -> None:
        """Join the group, and read the partitions of these topics that it assigns.

        Topics are names, or a compiled pattern that must match whole names, including those of
        future topics. Polls join the group and call the listener; heartbeats continue while the
        loop runs.

        Raises:
            ConfigError: there is no group.id.
            LocalProtocolError: partitions were assigned.
        """
        self.join(topics, listens=listener is not None)
        self.polling.listener = listener

    def join(self, topics: Topics, *, listens: bool) -> None:
        """Like `subscribe`, but the caller notifies the listener: calls end with `CallDue` for that."""
        self._check_open()
        wanted = wanted_topics(topics)
        group = self.of_group("subscribing")
        if self._fetcher.positions and not group.subscribed:
            raise LocalProtocolError("partitions are assigned: assign([]) before subscribe")
        self.polling.listener = None
        group.subscribe(wanted, listens=listens)

    async def unsubscribe(self, *, timeout_s: float | None = None) -> None:
        """Leave the group, as `close` does, and stop reading.

        Waits for brokers up to `timeout_s` seconds; None: default.api.timeout.ms.
        """
        deadline = self.deadline(timeout_s)
        try:
            if self.group is not None and self.group.subscribed:
                await self.polling.tell(await self.group.begin_end(deadline))
        finally:
            await self.end_subscription(deadline)

    async def end_subscription(self, deadline: Deadline) -> None:
        """Leave the group, if it is a member, and stop reading."""
        if self.group is not None:
            await self.group.end(deadline)
        self._driver.assign([])

    def subscription(self) -> list[str]:
        """Return the subscribed topics, sorted; for a pattern, the known topics that match."""
        return [] if self.group is None else self.group.subscription()

    def group_metadata(self) -> GroupMetadata:
        """Return this member's group, id and generation.

        Raises:
            ConfigError: there is no group.id.
        """
        return self.of_group("membership").metadata()

    def enforce_rebalance(self, reason: str = "the user wishes it") -> None:
        """Trigger a rebalance of the group with the next poll; only if this is a member.

        Raises:
            ConfigError: there is no group.id.
        """
        self.of_group("membership").member.enforce_rebalance(reason)
