"""Consumer groups whose members join, stall, crash, return and change their subscriptions."""

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.common.shard import Replayed
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.group import ConsumerGroup, ConsumerGroupState
from barnabas.coordinators.consumer_group.groups import ConsumerGroups
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat, HeartbeatReply
from barnabas.errors import BrokerError, ErrorCode
from tests.unit.coordinators.compacting import CompactedLog
from tests.unit.coordinators.refusals import refused_first
from tests.unit.coordinators.some_topics import SomeTopics, a_shard

NAMES = st.sampled_from(["ann", "bob", "cat", "dan", "eve"])
STATIC = {"dan", "eve"}
TOPICS = st.sampled_from([("dogs",), ("cats",), ("cats", "dogs"), ()])
REGEXES = st.sampled_from(["", "d.*", ".*s", "nothing"])
ASSIGNORS = st.sampled_from([None, "range", "uniform"])


@dataclass
class Client:
    """A consumer as KIP-848 wants it: it gives back what it is not to have, at its own pace."""

    name: str
    lives: int = 0
    epoch: int = 0
    topics: tuple[str, ...] = ("dogs",)
    regex: str = ""
    has: frozenset[TopicIdPartition] = frozenset()
    received: frozenset[TopicIdPartition] = frozenset()
    has_missed_something: bool = False
    """Then it reports everything the next time, and gets everything."""

    @property
    def member_id(self) -> str:
        return f"{self.name}-{self.lives}"

    @property
    def instance_id(self) -> str | None:
        return self.name if self.name in STATIC else None

    def begin_again(self) -> None:
        self.epoch, self.has, self.received = 0, frozenset(), frozenset()
        self.has_missed_something = False


class Groups(RuleBasedStateMachine):
    """One group; `log` is what is there of what was written. Each change is refused at first."""

    def __init__(self) -> None:
        super().__init__()
        self.topics = SomeTopics(dogs=5, cats=3)
        self.shard = a_shard(self.topics)
        self.now = 0
        self.clients: dict[str, Client] = {}
        self.log = CompactedLog()

    @property
    def groups(self) -> ConsumerGroups:
        return self.shard.consumer

    @property
    def group(self) -> ConsumerGroup:
        return self.groups.get("g") or ConsumerGroup("g")

    @rule(name=NAMES, topics=TOPICS, regex=REGEXES, assignor=ASSIGNORS)
    def say_all(self, name: str, topics: tuple[str, ...], regex: str, assignor: str | None) -> None:
        client = self.clients.setdefault(name, Client(name))
        client.topics, client.regex = topics, regex
        self.beat(client, full=True, assignor=assignor)

    @rule(name=NAMES)
    def say_little(self, name: str) -> None:
        if name in self.clients:
            self.beat(self.clients[name], full=not self.clients[name].epoch)

    @rule(name=NAMES)
    def lose_the_answer(self, name: str) -> None:
        """The broker has applied the heartbeat, the client does not know it; then it sends a full one."""
        client = self.clients.get(name)
        if client is not None and client.epoch:
            client.has_missed_something = True
            self.take(self.ask(client, self.asked(client, full=True)))

    @rule(name=NAMES)
    def give_back(self, name: str) -> None:
        client = self.clients.get(name)
        if client is not None:
            client.has &= client.received

    @rule(name=NAMES, for_a_while=st.booleans())
    def leave(self, name: str, *, for_a_while: bool) -> None:
        client = self.clients.pop(name, None)
        if client is None or not client.epoch:
            return
        epoch = -2 if for_a_while and client.instance_id is not None else -1
        self.take(self.ask(client, self.asked(client, full=False, epoch=epoch)))

    @rule(name=NAMES, by_instance=st.booleans())
    def is_taken_out(self, name: str, *, by_instance: bool) -> None:
        """With LeaveGroup, as an operator does; the removed member learns it from its next heartbeat."""
        client = self.clients.get(name)
        if client is None or "g" not in {one.group_id for one in self.groups.all()}:
            return
        static = by_instance and client.instance_id is not None
        who = Identity("", client.instance_id) if static else Identity(client.member_id)
        was_there = client.member_id in self.group.members
        result = refused_first(
            self.shard, lambda: self.groups.leave(self.group, [who, who], self.now)
        )
        self.log += result.records
        assert result.reply[0] == result.reply[1]
        assert not was_there or result.reply[0] is ErrorCode.NONE
        assert client.member_id not in self.group.members

    @rule(name=NAMES)
    def die(self, name: str) -> None:
        client = self.clients.get(name)
        if client is not None:
            client.lives += 1
            client.begin_again()

    @rule(ms=st.sampled_from([1, 300, 700, 2000]))
    def wait(self, ms: int) -> None:
        end = self.now + ms
        while (due := self.groups.deadline(self.group)) is not None and due <= end:
            self.now = max(self.now, due)
            self.take(refused_first(self.shard, lambda: self.groups.on_time(self.group, self.now)))
        self.now = end

    @rule(name=st.sampled_from(["dogs", "cats", "birds"]), more=st.integers(0, 2))
    def topics_change(self, name: str, more: int) -> None:
        self.topics.change(**{name: self.topics.partitions.get(name, 1) + more})

    @rule()
    def restart(self) -> None:
        again = a_shard(self.topics)
        for key, value in self.log:
            again.replay(key, value)
        assert without_sessions(again.consumer) == without_sessions(self.groups)
        self.shard = again
        for group in self.groups.all():
            self.groups.loaded(group, self.now)

    @rule(data=st.data())
    def compact(self, data: st.DataObject) -> None:
        """A restart does not see that."""
        self.log.compact(data)

    @rule()
    def delete(self) -> None:
        if self.groups.get("g") is not None and not self.group.members:
            result = refused_first(self.shard, lambda: self.groups.delete(self.group))
            self.log += result.records

    @rule(data=st.data())
    def read_a_part_of_the_log(self, data: st.DataObject) -> None:
        """Any prefix can be read, and no two members have the same partition."""
        again = a_shard(self.topics)
        for record in self.log.beginning(data):
            again.replay(*record)
        for group in again.consumer.all():
            check_owners(group)

    @rule()
    def settle(self) -> None:
        """Where everybody follows its responses, everybody has what it is to have."""
        for _ in range(6 * max(len(self.clients), 1)):
            for client in self.clients.values():
                client.has &= client.received
                self.beat(client, full=not client.epoch)
            self.now += 50
        group = self.group
        alive = {one.member_id for one in self.clients.values() if one.epoch}
        if alive and set(group.members) == alive:
            assert group.state is ConsumerGroupState.STABLE
            wanted = {
                place
                for name in group.subscribed()
                if name in self.topics.partitions
                for place in self.topics.places(name)
            }
            assert set(group.owners) == wanted
            for client in self.clients.values():
                assert client.has == group.members[client.member_id].assigned.keys()

    def asked(
        self, client: Client, *, full: bool, epoch: int | None = None, assignor: str | None = None
    ) -> ConsumerHeartbeat:
        return ConsumerHeartbeat(
            group_id="g",
            member_id=client.member_id,
            epoch=client.epoch if epoch is None else epoch,
            client_id="someone",
            client_host="/here",
            instance_id=client.instance_id,
            rebalance_timeout_ms=500 if full else -1,
            topics=client.topics if full else None,
            regex=client.regex if full else None,
            assignor=assignor,
            owned=client.has,
        )

    def ask(self, client: Client, asked: ConsumerHeartbeat) -> Replayed[HeartbeatReply] | None:
        try:
            return refused_first(self.shard, lambda: self.groups.heartbeat(asked, None, self.now))
        except BrokerError as error:
            if error.code is not ErrorCode.UNRELEASED_INSTANCE_ID:
                client.begin_again()
            return None

    def beat(self, client: Client, *, full: bool, assignor: str | None = None) -> None:
        full |= client.has_missed_something
        result = self.ask(client, self.asked(client, full=full, assignor=assignor))
        self.take(result)
        if result is not None:
            client.has_missed_something = False
            client.epoch = result.reply.epoch
            if result.reply.assigned is not None:
                client.received = frozenset(result.reply.assigned)
                client.has |= client.received

    def take(self, result: Replayed[HeartbeatReply] | Replayed[None] | None) -> None:
        if result is not None:
            self.log += result.records

    @invariant()
    def one_owner_each(self) -> None:
        check_owners(self.group)
        alive = [
            one
            for one in self.clients.values()
            if one.epoch and one.member_id in self.group.members
        ]
        for index, one in enumerate(alive):
            for other in alive[index + 1 :]:
                assert not one.has & other.has


def check_owners(group: ConsumerGroup) -> None:
    seen: dict[TopicIdPartition, str] = {}
    for member in group.members.values():
        for place in (*member.assigned, *member.revoking):
            assert seen.setdefault(place, member.member_id) == member.member_id
    assert group.owners == seen


def without_sessions(groups: ConsumerGroups) -> dict[str, tuple[object, ...]]:
    return {
        one.group_id: (
            one.epoch,
            one.metadata_hash,
            one.assignment_epoch,
            one.assigned_at_ms,
            one.members,
            one.instances,
            one.target,
            one.regexes,
            one.owners,
        )
        for one in groups.all()
    }


TestConsumerGroup = Groups.TestCase
TestConsumerGroup.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
