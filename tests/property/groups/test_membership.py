"""Our members in our broker's group, without a wire: no two share a partition, and all settle."""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from barnabas.client.core.group.assignor import Counts
from barnabas.client.core.group.membership import Membership
from barnabas.client.core.group.membership_results import ChangeKind
from barnabas.client.core.group.options import GroupOptions
from barnabas.config.clients import ConsumerConfig
from barnabas.coordinators.classic_group import joining, leaving, syncing
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.replies import Effects, JoinReply, SyncReply
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.errors import ErrorCode
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
)
from barnabas.protocol.sync_group import SyncGroupRequest, SyncGroupResponse
from barnabas.types import TopicPartition

NAMES = st.sampled_from(["ann", "bob", "cat", "dan"])
STATIC = {"dan"}
TOPICS = st.sets(st.sampled_from(["t", "u"]), min_size=1)
STRATEGIES = st.sampled_from(["range", "roundrobin", "sticky", "cooperative-sticky"])
SESSION_MS = 10_000
ROUNDS = 12


@dataclass(slots=True)
class Client:
    """A member and whether it waits for an answer; what its listener would know it has."""

    machine: Membership
    waits: bool = False
    knows: set[TopicPartition] = field(default_factory=set)


class Members(RuleBasedStateMachine):
    """A poll does what the driver's does; answers may be long on their way."""

    def __init__(self) -> None:
        super().__init__()
        self.group = ClassicGroup("g", GroupSettings(initial_delay_ms=0, max_size=9))
        self.now = 0
        self.counts = {"t": 3, "u": 2}
        self.strategy = "range"
        self.clients: dict[str, Client] = {}
        self.waiters: list[Client] = []
        self.mail: list[tuple[Client, JoinReply | SyncReply]] = []

    @initialize(strategy=STRATEGIES)
    def begin(self, strategy: str) -> None:
        self.strategy = strategy
        for name in ("ann", "bob"):
            self.subscribe(name, {"t", "u"})
            self.poll_all()

    @rule(name=NAMES, topics=TOPICS)
    def subscribe(self, name: str, topics: set[str]) -> None:
        client = self.clients.setdefault(name, Client(self.membership(name)))
        client.machine.subscribe(topics)

    @rule(name=NAMES)
    def poll(self, name: str) -> None:
        client = self.clients.get(name)
        if client is None or client.waits or not client.machine.due:
            return
        change = client.machine.before_join()
        if change is not None:
            client.knows -= set(change.partitions)
            client.machine.gave_up(change)
        self.join(client, client.machine.join_request())

    @rule()
    def poll_all(self) -> None:
        """As often as a group needs where nothing happens meanwhile."""
        for name in [*self.clients] * 6:
            self.beat(name)
            self.poll(name)
            self.deliver_all()

    @rule(which=st.integers(0, 5))
    def deliver(self, which: int) -> None:
        """One answer arrives, not in the order in which they were given."""
        if self.mail:
            client, reply = self.mail.pop(which % len(self.mail))
            self.arrive(client, reply)

    def deliver_all(self) -> None:
        self.tick()
        while self.mail:
            self.deliver(0)
            self.tick()

    def tick(self) -> None:
        """What is due by now happens."""
        while (due := self.group.deadline()) is not None and due <= self.now:
            self.take(leaving.on_time(self.group, self.now))

    @rule(name=NAMES)
    def beat(self, name: str) -> None:
        client = self.clients.get(name)
        if client is None or client.waits or client.machine.generation < 0:
            return
        machine = client.machine
        who = machine.member_id, machine.options.instance_id
        code = leaving.heartbeat(self.group, *who, machine.generation, self.now)
        machine.handle_response(code, machine.generation)

    @rule(name=NAMES)
    def leave(self, name: str) -> None:
        client = self.clients.get(name)
        if client is not None and not client.waits:
            machine = self.clients.pop(name).machine
            who = Identity(machine.member_id, machine.options.instance_id)
            self.take(leaving.leave(self.group, [who], self.now)[1])

    @rule(name=NAMES)
    def die(self, name: str) -> None:
        """It sends nothing; the others wait until its session ends."""
        self.clients.pop(name, None)

    @rule(topic=st.sampled_from(["t", "u"]))
    def grow(self, topic: str) -> None:
        if self.counts[topic] < 6:
            self.counts = {**self.counts, topic: self.counts[topic] + 1}
            self.tell_counts()

    @rule(ms=st.sampled_from([1, 3000, 12_000, 40_000]), asleep=st.none() | NAMES)
    def wait(self, ms: int, asleep: str | None = None) -> None:
        """Time goes by; members heartbeat often enough, but for one that may be asleep."""
        end = self.now + ms
        while self.now < end:
            self.now = min(end, self.now + SESSION_MS // 3)
            for name in sorted(self.clients.keys() - {asleep}):
                self.beat(name)
            self.tick()

    def membership(self, name: str) -> Membership:
        options = GroupOptions.of(
            ConsumerConfig.load(
                {
                    "group.id": "g",
                    "partition.assignment.strategy": self.strategy,
                    "session.timeout.ms": SESSION_MS,
                    "max.poll.interval.ms": 20_000,
                    "group.instance.id": name if name in STATIC else None,
                }
            )
        )
        assert options is not None
        return Membership(options)

    def join(self, client: Client, request: JoinGroupRequest) -> None:
        client.waits = True
        self.waiters.append(client)
        join = Join(
            member_id=request.member_id,
            instance_id=request.group_instance_id,
            new_id=f"id-{len(self.waiters)}",
            new_nameless_id="",
            client_id="c",
            client_host="/here",
            session_timeout_ms=request.session_timeout_ms,
            rebalance_timeout_ms=request.rebalance_timeout_ms,
            protocol_type=request.protocol_type,
            protocols=tuple((one.name, bytes(one.metadata)) for one in request.protocols),
            takes_id_first=True,
            skips_assignment=True,
        )
        self.take(joining.join(self.group, join, len(self.waiters) - 1, self.now))

    def sync(self, client: Client, request: SyncGroupRequest) -> None:
        client.waits = True
        self.waiters.append(client)
        sync = Sync(
            request.member_id,
            request.group_instance_id,
            request.generation_id,
            request.protocol_type,
            request.protocol_name,
            {row.member_id: bytes(row.assignment) for row in request.assignments},
        )
        self.take(syncing.sync(self.group, sync, len(self.waiters) - 1, self.now))

    def take(self, effects: Effects) -> None:
        if effects.ticket is not None:
            self.take(syncing.stored(self.group, effects.ticket, ErrorCode.NONE, self.now))
        for waiter, reply in effects.answers:
            assert isinstance(waiter, int)
            self.mail.append((self.waiters[waiter], reply))

    def arrive(self, client: Client, reply: JoinReply | SyncReply) -> None:
        client.waits = False
        if not any(client is one for one in self.clients.values()):
            return  # It died meanwhile.
        if isinstance(reply, JoinReply):
            self.on_joined(client, reply)
        else:
            self.on_synced(client, reply)
        self.nobody_shares()

    def on_joined(self, client: Client, reply: JoinReply) -> None:
        response = JoinGroupResponse(
            error_code=reply.error,
            generation_id=reply.generation,
            protocol_name=reply.protocol,
            leader=reply.leader,
            skip_assignment=reply.skip_assignment,
            member_id=reply.member_id,
            members=list(reply.members),
        )
        client.machine.joined(response)
        if not reply.error:
            self.sync(client, client.machine.sync_request(self.wanted_counts(client)))

    def on_synced(self, client: Client, reply: SyncReply) -> None:
        response = SyncGroupResponse(error_code=reply.error, assignment=reply.assignment)
        _, changes = client.machine.synced(response)
        for change in changes:
            if change.kind is ChangeKind.ASSIGNED:
                assert not client.knows & set(change.partitions), "notified twice"
                client.knows |= set(change.partitions)
            else:
                client.knows -= set(change.partitions)
                client.machine.gave_up(change)
        assert client.knows == set(client.machine.owned)

    def wanted_counts(self, client: Client) -> Counts:
        led = client.machine.led
        return {topic: self.counts[topic] for topic in led.topics} if led is not None else {}

    def tell_counts(self) -> None:
        for client in self.clients.values():
            if client.machine.led is not None:
                client.machine.counted(self.wanted_counts(client))

    @invariant()
    def nobody_shares(self) -> None:
        """Of those whom the group knows; others find out when they are handle_response next."""
        held = [
            where
            for client in self.clients.values()
            if client.machine.member_id in self.group.members
            for where in client.knows
        ]
        assert len(held) == len(set(held))

    def teardown(self) -> None:
        """Left alone, the members have all that they want, each partition once."""
        for _ in range(ROUNDS):
            self.poll_all()
            self.wait(SESSION_MS // 2)
            self.tell_counts()
        wanted = {topic for one in self.clients.values() for topic in one.machine.topics}
        held = sorted(where for one in self.clients.values() for where in one.knows)
        assert held == sorted(
            TopicPartition(topic, one) for topic in wanted for one in range(self.counts[topic])
        )
        assert not any(one.machine.due for one in self.clients.values())


TestMembers = Members.TestCase
TestMembers.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
