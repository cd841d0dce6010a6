"""The calls of Consumer about its group, for threads: see `client.aio.consumer.subscription_calls`.

The listener is called on the caller's thread, outside the event loop, so that it may use the
consumer: a call that has to notify it ends with `CallDue`, and is repeated afterwards.
"""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from barnabas.client.aio.consumer.consumer import Consumer as AsyncConsumer
from barnabas.client.aio.membership.consumer_group import CallDue
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.group.listener import RebalanceListener, tell
from barnabas.client.core.group.membership_results import Change
from barnabas.client.core.group.wanted_topics import Topics
from barnabas.client.sync.caller_client import CallerClient

_Result = TypeVar("_Result")


class CallerSubscriptionCalls:
    """What a Consumer does as a member of its group."""

    _hosted: CallerClient[AsyncConsumer]
    _consumer: AsyncConsumer
    _listener: RebalanceListener | None = None

    def subscribe(self, topics: Topics, *, listener: RebalanceListener | None = None) -> None:
        """Join the group, and read the partitions of these topics that it assigns.

        Topics are names, or a compiled pattern that must match whole names, including those of
        future topics. Polls join the group and call the listener; heartbeats continue between them.

        Raises:
            ConfigError: there is no group.id.
            LocalProtocolError: partitions were assigned.
        """
        with self._hosted.undisturbed:
            self._consumer.join(topics, listens=listener is not None)
        self._listener = listener
        group = self._consumer.of_group("subscribing")
        self._hosted.keep(group.member.quiet, group.member.machine.options.heartbeat_s / 4)

    def unsubscribe(self, *, timeout_s: float | None = None) -> None:
        """Leave the group, as `close` does, and stop reading.

        Waits for brokers up to `timeout_s` seconds; None: default.api.timeout.ms.
        """
        deadline = self._consumer.deadline(timeout_s)
        try:
            self._begin_end(deadline)
        finally:
            self._hosted.run(self._consumer.end_subscription(deadline))

    def subscription(self) -> list[str]:
        """Return the subscribed topics, sorted; for a pattern, the known topics that match."""
        with self._hosted.undisturbed:
            return self._consumer.subscription()

    def group_metadata(self) -> GroupMetadata:
        """Return this member's group, id and generation.

        Raises:
            ConfigError: there is no group.id.
        """
        with self._hosted.undisturbed:
            return self._consumer.group_metadata()

    def enforce_rebalance(self, reason: str = "the user wishes it") -> None:
        """Trigger a rebalance of the group with the next poll; only if this is a member.

        Raises:
            ConfigError: there is no group.id.
        """
        with self._hosted.undisturbed:
            self._consumer.enforce_rebalance(reason)

    def _attending(self, work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
        """Run a call that may first have to call the listener, on this thread."""
        while True:
            try:
                return self._hosted.run(work())
            except CallDue as due:
                try:
                    self._tell(due.change)
                finally:
                    with self._hosted.undisturbed:
                        self._consumer.of_group("membership").listener_notified()

    def _begin_end(self, deadline: Deadline) -> None:
        """Commit if enable.auto.commit is set, and report revoked partitions to the listener."""
        group = self._consumer.group
        if group is not None:
            self._tell(self._hosted.run(group.begin_end(deadline), wakeable=False))

    def _tell(self, change: Change | None) -> None:
        if change is not None and self._listener is not None:
            tell(self._listener, change)
