"""A consumer's membership of a classic group, on the loop: rebalances, heartbeats, leaving.

`core.group.membership` decides.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Final

from barnabas.client.aio.fetching.group_offsets import Committer
from barnabas.client.aio.membership.member import GroupMemberBase
from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.group.assignor import Counts
from barnabas.client.core.group.member_states import MemberState
from barnabas.client.core.group.membership import Membership
from barnabas.client.core.group.membership_results import ChangeKind, NextStep
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.leave_group import LeaveGroupRequest, MemberIdentity
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)

_JOINING: Final = "joining"
_LONGER_S: Final = 5.0
"""How much longer than the rebalance its responses may take."""


class GroupMember(GroupMemberBase[Membership]):
    """A member of a group whose members assign the partitions."""

    # ---- calls of the consumer ------------------------------------------------------------

    def subscribed_topics(self) -> frozenset[str]:
        """The subscribed topics; for a pattern, the known topics that match."""
        return self.machine.topics

    def enforce_rebalance(self, reason: str) -> None:
        """Trigger a rebalance, as soon as the user polls."""
        self.machine.rejoin(reason)

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
                UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION or REBALANCE_IN_PROGRESS.
        """
        machine = self.machine
        generation = machine.generation
        if generation < 0:
            raise self._nobody()
        who = Committer(generation, machine.member_id, machine.options.instance_id)
        save = self._offsets.commit_once if once else self._offsets.commit
        try:
            await save(offsets, deadline, lambda: who)
        except BrokerError as error:
            self._on_heartbeat_response(error.code, generation, error)
            raise

    async def leave(self, deadline: Deadline | None = None) -> None:
        """Leave the group, so that others need not wait for the session timeout. Raises nothing.

        A static member may return (KIP-345), so no request is sent for it.
        """
        machine = self.machine
        away, member_id = machine.state is MemberState.AWAY, machine.member_id
        if machine.state is MemberState.JOINING or machine.state is MemberState.SYNCING:
            self._coordinator.hang_up()  # A request made there would be answered after the join.
        machine.forgotten()
        if away or not member_id or machine.options.instance_id is not None:
            return
        request = LeaveGroupRequest(
            group_id=machine.options.group_id,
            member_id=member_id,
            members=[MemberIdentity(member_id=member_id, reason="the consumer ends")],
        )
        await self._say_goodbye(request, deadline)

    # ---- a rebalance ----------------------------------------------------------------------

    async def _rebalance(self) -> None:
        failures = 0
        while self._subscribed and self.machine.due:
            change = self.machine.before_join()
            if change is not None:
                await self._revoke(change)
            try:
                found = await self._round()
            except KafkaError as error:
                if not error.retriable:
                    self._fail(error)
                    return
                log.debug("group not joined group=%s why=%s", self._coordinator.group_id, error)
                found = NextStep.RETRY_LATER
            if found in (NextStep.RETRY_LATER, NextStep.FIND_COORDINATOR):
                failures += 1
                await asyncio.sleep(self._cluster.retry_wait(failures))
            elif found is NextStep.CONTINUE:
                failures = 0

    async def _round(self) -> NextStep:
        """Join and sync once.

        Raises:
            KafkaError: no response arrived, or one that must be raised to the user.
        """
        machine = self.machine
        seconds = machine.options.rebalance_ms / 1000 + _LONGER_S
        joined = await self._coordinator.ask(machine.join_request(), timeout_s=seconds)
        found = machine.joined(joined)
        if found is not NextStep.CONTINUE:
            return self._look_at(found, joined.error_code, _JOINING)
        if machine.led is not None:
            await self._cluster.metadata.know(machine.led.topics)
            self._cluster.metadata.topics |= machine.led.topics
        request = machine.sync_request(self._counts())
        synced = await self._coordinator.ask(request, timeout_s=seconds)
        found, changes = machine.synced(synced)
        if found is not NextStep.CONTINUE:
            return self._look_at(found, synced.error_code, "requesting partitions")
        log.info(
            "partitions assigned group=%s generation=%d count=%d",
            machine.options.group_id, machine.generation, len(machine.held),
        )  # fmt: skip
        for change in changes:
            if change.kind is ChangeKind.ASSIGNED:
                await self.changes.assign(change)
            else:
                await self._revoke(change)
        self._driver.news()
        return NextStep.CONTINUE

    def _look_at(self, found: NextStep, code: int, what: str) -> NextStep:
        self._coordinator.look_at(code)
        if found is NextStep.FAIL:
            error = self._refused(code or ErrorCode.INCONSISTENT_GROUP_PROTOCOL, what)
            if error.code is ErrorCode.FENCED_INSTANCE_ID:
                self._fatal = error
            raise error
        return found

    def _refused(self, code: int, what: str) -> BrokerError:
        message, options = f"group {self._coordinator.group_id}: {what}", self.machine.options
        if code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL and what == _JOINING:
            mine = ", ".join(each.name for each in options.assignors)
            message += ": the group is of another kind, or its members know none of the assignors "
            message += f"{mine} (partition.assignment.strategy)"
        elif code == ErrorCode.INVALID_SESSION_TIMEOUT:
            message += f": session.timeout.ms={options.session_ms} is not between the broker's "
            message += "group.min.session.timeout.ms and group.max.session.timeout.ms (6,000 and 1,800,000 "
            message += "by default; before 0.10.1, 30,000)"
        elif code == ErrorCode.FENCED_INSTANCE_ID:
            message += f": another member has taken the group.instance.id {options.instance_id}"
        return BrokerError(code, message)

    def _counts(self) -> Counts:
        """The number of partitions of the group's topics."""
        led, topics = self.machine.led, self._cluster.view.topics
        found = {}
        for name in led.topics if led is not None else ():
            view = topics.get(name)
            if view is not None and view.error is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                found[name] = len(view.partitions)
        return found

    # ---- between rebalances ---------------------------------------------------------------

    async def _beat(self) -> None:
        """Send heartbeats while the user polls; leave if the last poll was too long ago."""
        machine, failures = self.machine, 0
        while True:
            wait = self._cluster.retry_wait(failures) if failures else machine.options.heartbeat_s
            await asyncio.sleep(wait)
            if machine.state is not MemberState.STABLE:
                failures = 0
                continue
            if self._is_overdue():
                await self._go_away()
                continue
            generation = machine.generation
            with self._requesting():
                try:
                    reply = await self._coordinator.ask(machine.heartbeat_request())
                except KafkaError as error:
                    failures += 1
                    log.debug("no heartbeat group=%s why=%s", self._coordinator.group_id, error)
                else:
                    failures = 0
                    self._on_heartbeat_response(reply.error_code, generation)

    def _on_heartbeat_response(
        self, code: int, generation: int, error: BrokerError | None = None
    ) -> None:
        found = self.machine.handle_response(code, generation)
        self._coordinator.look_at(code)
        if found is NextStep.FAIL and error is None:
            error = self._refused(code, "heartbeat")
            if error.code is ErrorCode.FENCED_INSTANCE_ID:
                self._fatal = error
            self._fail(error)
        elif found is not NextStep.CONTINUE:
            self._driver.news()

    def _on_new_metadata(self) -> None:
        self.machine.counted(self._counts())
        if self.machine.rejoin_why:
            self._driver.news()
