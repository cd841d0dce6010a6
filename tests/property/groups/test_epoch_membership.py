"""Our members in our broker's consumer group, without a wire: no two share a partition, and all settle."""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from barnabas.client.core.group.epoch_membership import EpochMembership
from barnabas.client.core.group.epoch_states import EpochState
from barnabas.client.core.group.membership_results import Change, ChangeKind
from barnabas.client.core.group.options import GroupOptions
from barnabas.config.clients import ConsumerConfig
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, by_topic
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat, HeartbeatReply
from barnabas.errors import BrokerError
from barnabas.protocol.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from barnabas.types import TopicPartition
from tests.unit.coordinators.some_topics import SomeTopics, a_shard

NAMES = st.sampled_from(["ann", "bob", "cat", "dan"])
STATIC = {"dan"}
TOPICS = st.sets(st.sampled_from(["dogs", "cats"]), min_size=1)
ROUNDS = 30


@dataclass(slots=True)
class Client:
    """A member; what its listener knows, and is being called with; an answer that is on its way."""

    machine: EpochMembership
    knows: set[TopicPartition] = field(default_factory=set)
    telling: Change | None = None
    answer: ConsumerGroupHeartbeatResponse | None = None


class Members(RuleBasedStateMachine):
    """A poll does what the driver's does, one step of it at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.topics = SomeTopics(dogs=3, cats=2)
        self.groups = a_shard(self.topics).consumer
        self.now = 0
        self.clients: dict[str, Client] = {}
        self.born = 0

    @initialize()
    def begin(self) -> None:
        for name in ("ann", "bob"):
            self.subscribe(name, {"dogs", "cats"})
            self.settle(4)

    @rule(name=NAMES, topics=TOPICS)
    def subscribe(self, name: str, topics: set[str]) -> None:
        client = self.clients.get(name)
        if client is None:
            client = self.clients[name] = Client(self.membership(name))
        client.machine.subscribe(topics)

    @rule(name=NAMES)
    def match(self, name: str) -> None:
        if name in self.clients:
            self.clients[name].machine.match(".*s")

    @rule(name=NAMES)
    def poll(self, name: str) -> None:
        """One step: a listener learns that something goes or comes, or is done with it, or it joins."""
        client = self.clients.get(name)
        if client is None:
            return
        if client.telling is not None:
            self.reported(client, client.telling)
        elif client.machine.due:
            self.tell(client)

    def tell(self, client: Client) -> None:
        machine = client.machine
        change = machine.before_join()
        if change is not None:
            assert set(change.partitions) <= client.knows
            assert (change.kind is ChangeKind.LOST) == (machine.state is EpochState.AWAY)
            client.telling = change
        elif machine.state is EpochState.AWAY:
            machine.join()
        else:
            client.telling = machine.took(
                {each: self.name_of(each) for each in machine.unnamed({})}
            )
            assert not client.knows & set(client.telling.partitions), "notified twice"
            client.knows |= set(client.telling.partitions)

    def reported(self, client: Client, change: Change) -> None:
        client.telling = None
        if change.kind is ChangeKind.ASSIGNED:
            client.machine.reconciled()
        else:
            client.knows -= set(change.partitions)
            client.machine.gave_up(change)
        assert client.knows == set(client.machine.owned)

    @rule(name=NAMES)
    def ask(self, name: str) -> None:
        """The broker answers; that is still on its way."""
        client = self.clients.get(name)
        if client is None or client.answer is not None:
            return
        if client.machine.state is not EpochState.AWAY:
            client.answer = self.answer(client.machine.heartbeat_request())

    @rule(name=NAMES)
    def hear(self, name: str) -> None:
        client = self.clients.get(name)
        if client is not None and client.answer is not None:
            client.machine.handle_response(client.answer)
            client.answer = None

    @rule(name=NAMES)
    def hear_nothing(self, name: str) -> None:
        client = self.clients.get(name)
        if client is not None and client.answer is not None:
            client.machine.no_response()
            client.answer = None

    @rule(name=NAMES)
    def leave(self, name: str) -> None:
        client = self.clients.pop(name, None)
        if client is not None and client.machine.state is not EpochState.AWAY:
            self.answer(client.machine.leave_request())

    @rule(name=NAMES)
    def die(self, name: str) -> None:
        """It sends nothing; its session ends."""
        self.clients.pop(name, None)

    @rule(ms=st.sampled_from([1, 700, 2000]))
    def wait(self, ms: int) -> None:
        """A member that is silent for a second is given up."""
        end = self.now + ms
        group = self.groups.get("g")
        while group is not None and (due := self.groups.deadline(group)) is not None and due <= end:
            self.now = max(self.now, due)
            self.groups.on_time(group, self.now)
        self.now = end

    @rule(topic=st.sampled_from(["dogs", "cats"]))
    def grow(self, topic: str) -> None:
        if self.topics.partitions[topic] < 6:
            self.topics.change(**{topic: self.topics.partitions[topic] + 1})

    def settle(self, rounds: int) -> None:
        """Everybody does what there is to do."""
        for _ in range(rounds):
            for name in [*self.clients]:
                self.ask(name)
                self.hear(name)
                for _ in range(8):
                    self.poll(name)
            self.now += 20

    def membership(self, name: str) -> EpochMembership:
        static = name if name in STATIC else None
        given = {"group.id": "g", "group.protocol": "consumer", "group.instance.id": static}
        options = GroupOptions.of(ConsumerConfig.load(given))
        assert options is not None
        self.born += 1
        return EpochMembership(options, f"{name}-{self.born}")

    def name_of(self, topic_id: bytes) -> str:
        name = self.topics.name_of(topic_id)
        assert name is not None
        return name

    def answer(self, sent: ConsumerGroupHeartbeatRequest) -> ConsumerGroupHeartbeatResponse:
        names, owned = sent.subscribed_topic_names, sent.topic_partitions
        asked = ConsumerHeartbeat(
            group_id=sent.group_id,
            member_id=sent.member_id,
            epoch=sent.member_epoch,
            client_id="c",
            client_host="/here",
            instance_id=sent.instance_id,
            rebalance_timeout_ms=sent.rebalance_timeout_ms,
            topics=None if names is None else tuple(names),
            regex=sent.subscribed_topic_regex,
            assignor=sent.server_assignor,
            owned=None
            if owned is None
            else frozenset(
                TopicIdPartition(row.topic_id, one) for row in owned for one in row.partitions
            ),
        )
        try:
            return answered(self.groups.heartbeat(asked, None, self.now).reply)
        except BrokerError as error:
            return ConsumerGroupHeartbeatResponse(
                error_code=error.code, member_epoch=0, heartbeat_interval_ms=0
            )

    @invariant()
    def nobody_shares(self) -> None:
        """Of those whom the group knows; others find out when they are handle_response next."""
        group = self.groups.get("g")
        held = [
            where
            for client in self.clients.values()
            if group is not None and client.machine.member_id in group.members
            for where in client.knows
        ]
        assert len(held) == len(set(held))

    def teardown(self) -> None:
        """Left alone, the members have all that they want, each partition once."""
        self.settle(ROUNDS)
        self.wait(500)
        self.settle(ROUNDS)
        self.wait(900)
        self.settle(ROUNDS)
        wanted = {topic for one in self.clients.values() for topic in one.machine.topics}
        if any(one.machine.regex for one in self.clients.values()):
            wanted = set(self.topics.partitions)
        held = sorted(where for one in self.clients.values() for where in one.knows)
        assert held == sorted(
            TopicPartition(topic, one)
            for topic in wanted
            for one in range(self.topics.partitions[topic])
        )
        stable = {one.machine.state for one in self.clients.values()}
        assert stable <= {EpochState.STABLE}


def answered(reply: HeartbeatReply) -> ConsumerGroupHeartbeatResponse:
    given = None
    if reply.assigned is not None:
        rows = by_topic(reply.assigned)
        given = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=each, partitions=list(numbers))
                for each, numbers in rows.items()
            ]
        )
    return ConsumerGroupHeartbeatResponse(
        error_code=0,
        member_id=reply.member_id,
        member_epoch=reply.epoch,
        heartbeat_interval_ms=reply.heartbeat_ms,
        assignment=given,
    )


TestMembers = Members.TestCase
TestMembers.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


def test_who_comes_back_while_a_slow_listener_takes_what_was_left_gets_it_again() -> None:
    """One history of the above that chance seldom finds."""
    group = Members()
    group.begin()
    group.settle(4)
    had = set(group.clients["ann"].knows)
    group.leave("bob")
    for _ in range(2):
        group.ask("ann")
        group.hear("ann")
    group.poll("ann")
    assert group.clients["ann"].telling is not None
    group.subscribe("bob", {"dogs", "cats"})
    group.poll("bob")
    for name in ("bob", "ann"):
        group.ask(name)
        group.hear(name)
    group.teardown()
    assert group.clients["ann"].knows == had
