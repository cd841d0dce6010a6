"""A consumer's membership of a group whose broker assigns partitions (KIP-848), on the loop.

One task sends heartbeats: it joins, keeps the membership, and receives the assignment. Another
task, started by a poll, applies changes. `core.group.epoch_membership` decides.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.cluster.topic_names import topic_names
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.aio.fetching.group_offsets import OUTSIDE, CommittedOffsets, Committer
from barnabas.client.aio.membership.member import GroupMemberBase
from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.group.epoch_membership import EpochMembership
from barnabas.client.core.group.epoch_states import EpochState
from barnabas.client.core.group.membership_results import NextStep
from barnabas.client.core.group.regex import regex_of
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_KNOWS_REGEXES: Final = 1
_INSTEAD: Final = (
    "the cluster does not assign partitions to members: set group.protocol=classic, or use Kafka "
    "4.0 or later with the feature group.version=1 and consumer in "
    "group.coordinator.rebalance.protocols"
)
"""Advice if a broker, or its release's features, have no such groups."""


class EpochMember(GroupMemberBase[EpochMembership]):
    """A member of a group whose broker assigns the partitions."""

    def __init__(
        self,
        coordinator: Coordinator,
        offsets: CommittedOffsets,
        machine: EpochMembership,
        driver: FetchDriver,
        commits: Callable[[], Awaitable[None]] | None,
    ) -> None:
        super().__init__(coordinator, offsets, machine, driver, commits)
        self._now = asyncio.Event()
        offsets.reader = self._reader

    # ---- calls of the consumer ------------------------------------------------------------

    def match(self, pattern: "re.Pattern[str]") -> None:
        """Subscribe to all topics, also future ones, whose whole names match the RE2 pattern.

        Raises:
            ValueError: RE2 has no such pattern.
        """
        self.machine.match(regex_of(pattern))
        self._subscribe()

    def subscribed_topics(self) -> frozenset[str]:
        """The subscribed topics; for a pattern, those with assigned partitions."""
        if self.machine.regex is None:
            return self.machine.topics
        return frozenset(where.topic for where in self.machine.owned)

    def enforce_rebalance(self, reason: str) -> None:
        """Do nothing: the broker rebalances when necessary."""
        log.warning("no rebalance forced group=%s why=%s: the broker of the group decides that",
                    self._coordinator.group_id, reason)  # fmt: skip

    async def commit(
        self,
        offsets: Mapping[TopicPartition, CommittedOffset],
        deadline: Deadline,
        *,
        once: bool = False,
    ) -> None:
        """Save positions as a member; retry if its epoch has just changed, unless `once`.

        Raises:
            KafkaError: not all could be saved; if the group continues without this member, with
                UNKNOWN_MEMBER_ID.
        """
        save = self._offsets.commit_once if once else self._offsets.commit
        await save(offsets, deadline, self._committer)

    async def leave(self, deadline: Deadline | None = None) -> None:
        """Leave the group, so that others need not wait for the session timeout. Raises nothing.

        A static member leaves temporarily: its partitions are kept until its session ends.
        """
        machine = self.machine
        away = machine.state is EpochState.AWAY
        request = machine.leave_request()
        machine.forgotten()
        if not away:
            await self._say_goodbye(request, deadline)

    def _subscribe(self) -> None:
        super()._subscribe()
        self._say_news()

    # ---- pending changes ------------------------------------------------------------------

    async def _rebalance(self) -> None:
        machine = self.machine
        change = machine.before_join()
        if change is not None:
            await self._revoke(change)
        if machine.state is EpochState.AWAY:
            machine.join()
        names: dict[bytes, str] = {}
        failures = 0
        while machine.state is EpochState.RECONCILING:
            change = machine.before_join()
            if change is not None:
                await self._revoke(change)
            elif unnamed := machine.unnamed(names):
                if failures:
                    await asyncio.sleep(self._cluster.retry_wait(failures))
                names |= await self._names(unnamed)
                failures += 1
            else:
                await self.changes.assign(machine.took(names))
                machine.reconciled()
        self._say_news()

    async def _names(self, topic_ids: Iterable[bytes]) -> dict[bytes, str]:
        """The names of these topics, as far as brokers know them."""
        try:
            return await topic_names(self._cluster, topic_ids)
        except KafkaError as error:
            log.debug("no names of topics group=%s why=%s", self._coordinator.group_id, error)
            return {}

    # ---- heartbeats -----------------------------------------------------------------------

    async def _beat(self) -> None:
        """Send heartbeats while the user polls; leave if the last poll was too long ago."""
        machine, failures = self.machine, 0
        while True:
            await self._until_due(failures)
            if machine.state is EpochState.AWAY:
                failures = 0
            elif self._is_overdue():
                await self._go_away()
            elif await self._ask():
                failures = 0
            else:
                failures += 1

    async def _until_due(self, failures: int) -> None:
        """Wait for the next heartbeat's time, or for a reason to send one earlier."""
        if failures:
            await asyncio.sleep(self._cluster.retry_wait(failures))
        else:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.machine.interval_ms / 1000):
                    await self._now.wait()
        self._now.clear()

    async def _ask(self) -> bool:
        """Send one heartbeat; False if it must be repeated after a delay."""
        machine = self.machine
        with self._requesting():
            try:
                least = 0 if machine.regex is None else _KNOWS_REGEXES
                reply = await self._coordinator.ask(machine.heartbeat_request(), at_least=least)
            except KafkaError as error:
                machine.no_response()
                log.debug("no heartbeat group=%s why=%s", self._coordinator.group_id, error)
                if not error.retriable:
                    machine.forgotten()
                    self._refused(error.code, error.why)
                return not error.retriable
            return self._on_heartbeat_response(reply)

    def _on_heartbeat_response(self, reply: ConsumerGroupHeartbeatResponse) -> bool:
        group_id, code = self._coordinator.group_id, ErrorCode.of(reply.error_code)
        found = self.machine.handle_response(reply)
        self._coordinator.look_at(code)
        if found is NextStep.FAIL:
            self._refused(code, reply.error_message or "heartbeat")
        elif found is NextStep.REJOIN:
            log.info("no member any more group=%s why=%s; a poll joins again", group_id, code.name)
        self._say_news()
        return found not in {NextStep.RETRY_LATER, NextStep.FIND_COORDINATOR}

    def _say_news(self) -> None:
        """Report news to the broker, and let the next poll start what is due."""
        if self.machine.has_news:
            self._now.set()
        if self.machine.due:
            self._driver.news()

    def _refused(self, code: ErrorCode, why: str) -> None:
        what = f"group {self._coordinator.group_id}: {why}"
        if code is ErrorCode.UNSUPPORTED_VERSION:
            what = f"{what}; {_INSTEAD}"
        error = BrokerError(code, what)
        if code is ErrorCode.FENCED_INSTANCE_ID:
            self._fatal = error
        self._fail(error)

    # ---- offsets --------------------------------------------------------------------------

    def _committer(self) -> Committer:
        if self.machine.generation < 0:
            raise self._nobody()
        return self._reader()

    def _reader(self) -> Committer:
        """The identity for fetching offsets; without membership, a client outside the group."""
        machine = self.machine
        if machine.generation < 0:
            return OUTSIDE
        return Committer(machine.generation, machine.member_id, machine.options.instance_id)
