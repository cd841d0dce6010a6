"""GroupMemberBase: what both kinds of group members do on the loop: watch polls, rebalance, leave.

A rebalance starts only with a poll, as in Kafka's client: the last poll's records count as
processed then. It continues by itself, except for calls of the listener, which wait for the next poll
(`assignment_changes`).
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, Generic, TypeVar

from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.aio.fetching.group_offsets import CommittedOffsets
from barnabas.client.aio.membership.assignment_changes import AssignmentChanges
from barnabas.client.aio.membership.member_machine import Machine
from barnabas.client.aio.membership.missing_topics import MissingTopics
from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.group.membership_results import Change
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_LEAVE_S: Final = 5.0
_TURNS: Final = 3


_Machine = TypeVar("_Machine", bound=Machine)


class GroupMemberBase(ABC, Generic[_Machine]):
    """`changes`: the partitions that are being assigned or revoked.

    `commits` saves finished positions before partitions are revoked, with automatic commits.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        offsets: CommittedOffsets,
        machine: _Machine,
        driver: FetchDriver,
        commits: Callable[[], Awaitable[None]] | None,
    ) -> None:
        self.machine = machine
        self._coordinator = coordinator
        self._cluster = coordinator.cluster
        self._offsets = offsets
        self._driver = driver
        self.changes = AssignmentChanges(self._cluster, driver, commits, self._note_busy)
        self._loop = self._cluster.environment.loop
        self._fatal: KafkaError | None = None
        self._subscribed = False
        self._polling = 0
        self._polled_at = self._loop.time()
        self._missing = MissingTopics(self._cluster)
        self._rebalancing: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._asking = False
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._cluster.on_change.append(self._look_at_metadata)

    # ---- calls of the consumer ------------------------------------------------------------

    def subscribe(self, topics: Iterable[str]) -> None:
        """Become a member that subscribes to these topics, from the next poll on."""
        self.machine.subscribe(topics)
        self._subscribe()

    @abstractmethod
    def subscribed_topics(self) -> frozenset[str]:
        """The subscribed topics; for a pattern, the known topics that match."""

    @abstractmethod
    def enforce_rebalance(self, reason: str) -> None:
        """Trigger a rebalance, as soon as the user polls."""

    @property
    def wants_poll(self) -> bool:
        """Whether there is something that only a poll may start."""
        if self.changes.call is not None or self._fatal is not None:
            return True
        return self._subscribed and self._rebalancing is None and self.machine.due

    @property
    def rebalancing(self) -> bool:
        """Whether a rebalance is in progress."""
        return self._rebalancing is not None

    def polled(self, now: float) -> bool:
        """Note that the user polls; return whether the poll must start something."""
        self._polled_at = now
        return self.wants_poll

    def begin_wait(self) -> None:
        """The user waits in a poll, for any length of time."""
        self._polling += 1

    def end_wait(self) -> None:
        """The user stopped waiting."""
        self._polling -= 1
        self._polled_at = self._loop.time()

    def begin(self) -> None:
        """Start a rebalance, if one is due.

        Raises:
            BrokerError: another member has the same group.instance.id; this one cannot return.
        """
        if self._fatal is not None:
            raise self._fatal
        if self.wants_poll and self._rebalancing is None:
            change = self.machine.before_join()
            if change is not None:
                self.changes.pause(change)  # This poll must not return records of it either.
            self._rebalancing = self._loop.create_task(self._rebalance())
            self._rebalancing.add_done_callback(self._rebalanced)
            self._note_busy()

    @abstractmethod
    async def commit(
        self,
        offsets: Mapping[TopicPartition, CommittedOffset],
        deadline: Deadline,
        *,
        once: bool = False,
    ) -> None:
        """Save positions as a member; `once`: without retries.

        Raises:
            KafkaError: not all could be saved; if the group continues without this member, with
                UNKNOWN_MEMBER_ID, or its protocol's equivalent.
        """

    def farewell(self) -> Change | None:
        """Start to leave for good: return what a listener must be notified of before `leave`, if anything."""
        self._subscribed = False
        self._cancel_tasks()
        change = self.machine.before_leave()
        if change is not None:
            self.machine.gave_up(change)
        return change

    @abstractmethod
    async def leave(self, deadline: Deadline | None = None) -> None:
        """Leave the group, so that others need not wait for the session timeout. Raises nothing."""

    def close(self) -> None:
        """Stop pending work without notifying the group."""
        self._cancel_tasks()
        self._cluster.on_change.remove(self._look_at_metadata)

    async def quiet(self) -> None:
        """Return when nothing is pending that needs no poll; start what is due first."""
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        await self._quiet.wait()

    # ---- for both kinds -------------------------------------------------------------------

    @abstractmethod
    async def _rebalance(self) -> None:
        """Do what is due."""

    @abstractmethod
    async def _beat(self) -> None:
        """Send heartbeats while the user polls; leave if the last poll was too long ago."""

    def _subscribe(self) -> None:
        """Pass the subscription to the state machine."""
        self._subscribed = True
        self._cluster.metadata.topics = set(self.subscribed_topics())
        self._cluster.metadata.refresh()
        self._polled_at = self._loop.time()
        if self._beating is None:
            self._beating = self._loop.create_task(self._beat())
        self._driver.news()

    async def _revoke(self, change: Change) -> None:
        await self.changes.revoke(change, self.machine.gave_up)

    def _rebalanced(self, task: "asyncio.Task[None]") -> None:
        if self._rebalancing is task:
            self._rebalancing = None
            self._note_busy()
        error = None if task.cancelled() else task.exception()
        if error is not None:
            failure = KafkaError(f"group {self._coordinator.group_id}: rebalancing: {error!r}")
            failure.__cause__ = error
            self._fail(failure)
        self._driver.news()

    def _nobody(self) -> BrokerError:
        """Why a member's calls are refused without asking a broker."""
        what = f"group {self._coordinator.group_id}: this consumer is not a member now; poll joins"
        return BrokerError(ErrorCode.UNKNOWN_MEMBER_ID, what)

    async def _say_goodbye(self, request: object, deadline: Deadline | None) -> None:
        """Send a leave request without time left, if that needs no waiting."""
        soon = self._loop.time() + _LEAVE_S
        with suppress(KafkaError, TimeoutError):
            async with asyncio.timeout_at(soon if deadline is None else min(soon, deadline.at)):
                await self._coordinator.ask(request)

    def _fail(self, error: KafkaError) -> None:
        if self._fatal is None:
            self._driver.fetcher.failures.append(error)
        self._driver.news()

    def _is_overdue(self) -> bool:
        waited_ms = (self._loop.time() - self._polled_at) * 1000
        return not self._polling and waited_ms > self.machine.options.rebalance_ms

    async def _go_away(self) -> None:
        log.warning(
            "left group=%s: no poll for longer than max.poll.interval.ms=%d; the next one joins again",
            self._coordinator.group_id, self.machine.options.rebalance_ms,
        )  # fmt: skip
        if self._rebalancing is not None:
            self._rebalancing.cancel()
            self._rebalancing = self.changes.call = None
        await self.leave()

    def _look_at_metadata(self) -> None:
        if self._subscribed and self._missing.look(self.machine.topics):
            self._on_new_metadata()

    def _on_new_metadata(self) -> None:
        """Take new metadata of the subscribed topics into account; by default nothing depends on them."""

    @contextmanager
    def _requesting(self) -> Iterator[None]:
        """Around a heartbeat: `quiet` waits for its response."""
        self._asking = True
        self._note_busy()
        try:
            yield
        finally:
            self._asking = False
            self._note_busy()

    def _note_busy(self) -> None:
        if self._asking or (self._rebalancing is not None and self.changes.call is None):
            self._quiet.clear()
        else:
            self._quiet.set()

    def _cancel_tasks(self) -> None:
        for task in (self._rebalancing, self._beating):
            if task is not None:
                task.cancel()
        self._rebalancing = self._beating = self.changes.call = None
        self._note_busy()
