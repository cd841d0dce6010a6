"""What a consumer has to do with its group: offsets from outside, or membership by subscribing."""

import logging
import re
from collections.abc import Iterable, Mapping

from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.aio.fetching.group_offsets import GroupOffsets
from barnabas.client.aio.membership.auto_commit import AutoCommit, Saved
from barnabas.client.aio.membership.classic_member import GroupMember
from barnabas.client.aio.membership.epoch_member import EpochMember
from barnabas.client.aio.membership.pattern_watch import PatternWatch
from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.group.epoch_membership import EpochMembership, member_id
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.group.membership import Change, Membership
from barnabas.client.core.group.options import GroupOptions
from barnabas.errors import KafkaError
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)


class CallDue(Exception):
    """A listener must be told of `change`, by somebody else; `ConsumerGroup.told` follows."""

    def __init__(self, change: Change) -> None:
        super().__init__(change)
        self.change = change


class ConsumerGroup:
    """Of a consumer with a group.id. `subscribed`: whether it is, or wants to be, a member."""

    def __init__(
        self,
        coordinator: Coordinator,
        offsets: GroupOffsets,
        driver: FetchDriver,
        options: ConsumerOptions,
        group: GroupOptions,
    ) -> None:
        self.subscribed = self._wanted = False
        self._options = options
        self._coordinator = coordinator
        self._driver = driver
        self._offsets = offsets
        self._loop = coordinator.cluster.around.loop
        commits = None if options.auto_commit_s is None else self._commit_done
        self.member: EpochMember | GroupMember
        if group.broker_assigns:
            machine = EpochMembership(group, member_id(coordinator.cluster.around.entropy))
            self.member = EpochMember(coordinator, offsets, machine, driver, commits)
        else:
            self.member = GroupMember(coordinator, offsets, Membership(group), driver, commits)
        self._watch: PatternWatch | None = None
        self._auto = AutoCommit(coordinator.cluster, options.auto_commit_s, self._save_once)
        self._used = False

    # ---- membership -----------------------------------------------------------------------

    def subscribe(self, topics: "list[str] | re.Pattern[str]", *, listens: bool) -> None:
        """Want these topics; `listens`: whether somebody wants to be told of changes.

        Raises:
            ValueError: the group's broker cannot match this pattern.
        """
        if isinstance(topics, list):
            self._end_watch()
            self.member.subscribe(topics)
        elif isinstance(self.member, EpochMember):
            self.member.match(topics)
        else:
            self._end_watch()
            internal = not self._options.exclude_internal_topics
            cluster = self._coordinator.cluster
            self._watch = PatternWatch(cluster, topics, self.member.subscribe, internal=internal)
        self.subscribed = True
        self._wanted = bool(topics)
        self.member.listens = listens

    @property
    def reads(self) -> bool:
        """Whether it is subscribed, and not just to no topic at all."""
        return self.subscribed and self._wanted

    def subscription(self) -> list[str]:
        """The topics that are wanted now, sorted."""
        return sorted(self.member.subscribed_topics()) if self.subscribed else []

    def metadata(self) -> GroupMetadata:
        """Who this member is now."""
        machine = self.member.machine
        positions = self._driver.fetcher.positions
        told = self._coordinator.cluster.view.topics
        topics = {where.topic for where in positions} & told.keys()
        return GroupMetadata(
            machine.options.group_id,
            machine.generation,
            machine.member_id,
            machine.options.instance_id,
            {where: position.known_epochs() for where, position in positions.items()},
            {name: told[name].topic_id for name in topics},
        )

    def wants_attention(self) -> bool:
        """Whether a poll has something to do but to give records; says that the user polls."""
        now = self._loop.time()
        self._used = True
        if self.subscribed and self.member.polled(now):
            return True
        self._note_done()
        return now >= self._auto.at

    def note_use(self) -> None:
        """The user set positions, or was told one: from now on they are the group's to save."""
        self._used = True

    async def attend(self) -> None:
        """Do what only a poll may begin; waits for no broker.

        Raises:
            CallDue: a listener must be told first.
            BrokerError: there is no way back into the group.
        """
        self._used = True
        if self._loop.time() >= self._auto.at:
            await self._auto.attend(lambda: self._saved(self._positions()))
        if self.subscribed:
            self.member.begin()
            self._note_done()
            if self.member.call is not None:
                raise CallDue(self.member.call)

    def told(self) -> None:
        """Somebody has told the listener what a `CallDue` said."""
        self.member.told()

    async def begin_end(self, deadline: Deadline) -> Change | None:
        """Begin to leave: what a listener must be told before `end`, if anything.

        Who used none (by a poll, a seek or asking for one) saves none, as with Kafka's client: to be
        found, which goes on all the time, is no reason for a position to be the group's.

        Raises:
            KafkaError: positions could not be saved.
        """
        if self._options.auto_commit_s is not None and self._used:
            await (self._commit_quietly if self.subscribed else self.commit)(None, deadline)
        self._end_watch()
        return self.member.farewell() if self.subscribed else None

    async def end(self, deadline: Deadline) -> None:
        """Leave the group, if this is a member of it."""
        if self.subscribed:
            self.subscribed = False
            await self.member.leave(deadline)

    def close(self) -> None:
        """End what is under way, and say nothing."""
        self._auto.stop()
        self._end_watch()
        self.member.close()

    # ---- offsets --------------------------------------------------------------------------

    async def commit(
        self, offsets: Mapping[TopicPartition, int] | None, deadline: Deadline
    ) -> None:
        """Save positions (of all partitions, where none are given) for the group."""
        self._auto.stop()
        chosen = self._saved(self._positions() if offsets is None else offsets)
        if chosen and self.subscribed:
            await self.member.commit(chosen, deadline)
        elif chosen:
            await self._offsets.commit(chosen, deadline)
        self._auto.postpone()

    async def committed(
        self, partitions: Iterable[TopicPartition], deadline: Deadline
    ) -> dict[TopicPartition, int]:
        """The group's saved positions; partitions without one are left out."""
        found = await self._offsets.committed(partitions, deadline)
        return {where: each.offset for where, each in found.items()}

    async def _save_once(self, chosen: Saved) -> None:
        deadline = self._coordinator.cluster.limits.deadline()
        if self.subscribed:
            await self.member.commit(chosen, deadline, once=True)
        else:
            await self._offsets.commit_once(chosen, deadline)

    async def _commit_quietly(
        self, offsets: Mapping[TopicPartition, int] | None, deadline: Deadline
    ) -> None:
        """As `commit`; that it failed is no reason not to go on, as in Kafka's client."""
        try:
            await self.commit(offsets, deadline)
        except KafkaError as error:
            log.warning("positions not saved by themselves: %s", error)

    async def _commit_done(self) -> None:
        """Save what is done: a rebalance goes on while the user works on what the last poll gave."""
        done = {
            where: min(position.offset, position.done)
            for where, position in self._driver.fetcher.positions.items()
        }
        known = {where: offset for where, offset in done.items() if offset >= 0}
        await self._commit_quietly(known, self._coordinator.cluster.limits.deadline())

    def _note_done(self) -> None:
        """The user polls, and nothing is given yet; only a rebalance asks for what is done."""
        if self.member.rebalancing:
            for position in list(self._driver.fetcher.positions.values()):
                position.done = position.offset

    def _saved(self, offsets: Mapping[TopicPartition, int]) -> Saved:
        """Offsets with the epochs of what is before them, as far as that was fetched."""
        known = self._driver.fetcher.positions
        return {
            where: known[where].saved_at(offset) if where in known else CommittedOffset(offset)
            for where, offset in offsets.items()
        }

    def _positions(self) -> dict[TopicPartition, int]:
        return {
            where: position.offset
            for where, position in self._driver.fetcher.positions.items()
            if position.known
        }

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
