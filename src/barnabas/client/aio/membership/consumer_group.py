"""A consumer's group: its offsets, and its membership if the consumer subscribes."""

import logging
import re
from collections.abc import Iterable, Mapping

from barnabas.client.aio.cluster.coordinator import Coordinator
from barnabas.client.aio.fetching.fetch_driver import FetchDriver
from barnabas.client.aio.fetching.group_offsets import CommittedOffsets
from barnabas.client.aio.membership.auto_commit import AutoCommit, Saved
from barnabas.client.aio.membership.classic_member import GroupMember
from barnabas.client.aio.membership.epoch_member import EpochMember
from barnabas.client.aio.membership.pattern_watch import PatternWatch
from barnabas.client.core.admin.group_descriptions import CommittedOffset
from barnabas.client.core.arguments.deadline import Deadline
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.group.epoch_membership import EpochMembership, member_id
from barnabas.client.core.group.group_metadata import GroupMetadata
from barnabas.client.core.group.membership import Membership
from barnabas.client.core.group.membership_results import Change
from barnabas.client.core.group.options import GroupOptions
from barnabas.errors import KafkaError
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)


class CallDue(Exception):
    """The caller must notify a listener of `change`, then call `ConsumerMembership.listener_notified`."""

    def __init__(self, change: Change) -> None:
        super().__init__(change)
        self.change = change


class ConsumerMembership:
    """The group of a consumer with a group.id.

    `subscribed`: whether it is, or will be, a member.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        offsets: CommittedOffsets,
        driver: FetchDriver,
        options: ConsumerOptions,
        group: GroupOptions,
    ) -> None:
        self.subscribed = self._wanted = False
        self._options = options
        self._coordinator = coordinator
        self._driver = driver
        self._offsets = offsets
        self._loop = coordinator.cluster.environment.loop
        commits = None if options.auto_commit_s is None else self._commit_done
        self.member: EpochMember | GroupMember
        if group.broker_assigns:
            machine = EpochMembership(group, member_id(coordinator.cluster.environment.entropy))
            self.member = EpochMember(coordinator, offsets, machine, driver, commits)
        else:
            self.member = GroupMember(coordinator, offsets, Membership(group), driver, commits)
        self._watch: PatternWatch | None = None
        self._auto = AutoCommit(coordinator.cluster, options.auto_commit_s, self._save_once)
        self._used = False

    # ---- membership -----------------------------------------------------------------------

    def subscribe(self, topics: "list[str] | re.Pattern[str]", *, listens: bool) -> None:
        """Subscribe to these topics; `listens`: whether there is a listener to notify.

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
        self.member.changes.listens = listens

    @property
    def reads(self) -> bool:
        """Whether it is subscribed to at least one topic."""
        return self.subscribed and self._wanted

    def subscription(self) -> list[str]:
        """The subscribed topics, sorted."""
        return sorted(self.member.subscribed_topics()) if self.subscribed else []

    def metadata(self) -> GroupMetadata:
        """This member's group, id and generation."""
        machine = self.member.machine
        positions = self._driver.fetcher.positions
        topic_views = self._coordinator.cluster.view.topics
        topics = {where.topic for where in positions} & topic_views.keys()
        return GroupMetadata(
            machine.options.group_id,
            machine.generation,
            machine.member_id,
            machine.options.instance_id,
            {where: position.known_epochs() for where, position in positions.items()},
            {name: topic_views[name].topic_id for name in topics},
        )

    def wants_attention(self) -> bool:
        """Whether a poll has more to do than to return records; also notes that the user polls."""
        now = self._loop.time()
        self._used = True
        if self.subscribed and self.member.polled(now):
            return True
        self._note_done()
        return now >= self._auto.at

    def note_use(self) -> None:
        """Note that the user set or read positions: from now on the group saves them."""
        self._used = True

    async def attend(self) -> None:
        """Do what only a poll may start; waits for no broker.

        Raises:
            CallDue: a listener must be notified first.
            BrokerError: the member cannot return to the group.
        """
        self._used = True
        if self._loop.time() >= self._auto.at:
            await self._auto.attend(lambda: self._saved(self._positions()))
        if self.subscribed:
            self.member.begin()
            self._note_done()
            if self.member.changes.call is not None:
                raise CallDue(self.member.changes.call)

    def listener_notified(self) -> None:
        """The listener was notified of the change in `CallDue`."""
        self.member.changes.listener_notified()

    async def begin_end(self, deadline: Deadline) -> Change | None:
        """Start to leave: return what a listener must be notified of before `end`, if anything.

        A consumer that used no position (by a poll, a seek or a query) saves none, as Kafka's
        client does. Finding positions happens all the time, and alone is no reason to save them.

        Raises:
            KafkaError: positions could not be saved.
        """
        if self._options.auto_commit_s is not None and self._used:
            await (self._commit_quietly if self.subscribed else self.commit)(None, deadline)
        self._end_watch()
        return self.member.farewell() if self.subscribed else None

    async def end(self, deadline: Deadline) -> None:
        """Leave the group, if this is a member."""
        if self.subscribed:
            self.subscribed = False
            await self.member.leave(deadline)

    def close(self) -> None:
        """Stop pending work without notifying the group."""
        self._auto.stop()
        self._end_watch()
        self.member.close()

    # ---- offsets --------------------------------------------------------------------------

    async def commit(
        self, offsets: Mapping[TopicPartition, int] | None, deadline: Deadline
    ) -> None:
        """Commit positions for the group (None: those of all partitions)."""
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
        """Return the group's committed positions; partitions without one are omitted."""
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
        """Like `commit`, but a failure does not stop the caller, as in Kafka's client."""
        try:
            await self.commit(offsets, deadline)
        except KafkaError as error:
            log.warning("automatic commit failed: %s", error)

    async def _commit_done(self) -> None:
        """Save finished positions: a rebalance proceeds while the user works on the last poll's records."""
        done = {
            where: min(position.offset, position.done)
            for where, position in self._driver.fetcher.positions.items()
        }
        known = {where: offset for where, offset in done.items() if offset >= 0}
        await self._commit_quietly(known, self._coordinator.cluster.limits.deadline())

    def _note_done(self) -> None:
        """Note what is finished: the user polls, and nothing is returned yet.

        Only a rebalance needs it.
        """
        if self.member.rebalancing:
            for position in list(self._driver.fetcher.positions.values()):
                position.done = position.offset

    def _saved(self, offsets: Mapping[TopicPartition, int]) -> Saved:
        """Offsets with the epochs of the records before them, if those were fetched."""
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
