"""A classic group whose members join, stall, crash and return, and whose log fails."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from barnabas.coordinators.classic_group import joining, leaving, syncing
from barnabas.coordinators.classic_group.group import ClassicGroup
from barnabas.coordinators.classic_group.group_records import decode_group
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.replies import Effects, JoinReply, SyncReply
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.coordinators.classic_group.snapshot import group_of
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.errors import ErrorCode

PARTITIONS = 7
SETTINGS = GroupSettings(initial_delay_ms=300, max_size=4, new_member_timeout_ms=20_000)
NAMES = st.sampled_from(["ann", "bob", "cat", "dan", "eve"])
STATIC = {"dan", "eve"}
PROTOCOLS = st.sampled_from([("range",), ("range", "sticky"), ("sticky", "range"), ("sticky",)])


class Groups(RuleBasedStateMachine):
    """Each request waits under a number of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.group = ClassicGroup("g", SETTINGS)
        self.now = 0
        self.asked: dict[int, str] = {}
        self.answered: set[int] = set()
        self.ids: dict[str, str] = {}
        self.received: dict[str, JoinReply] = {}
        self.leaders: dict[int, set[str]] = {}
        self.owners: dict[tuple[int, int], str] = {}
        self.unwritten: list[tuple[bytes, int | None]] = []
        self.kept: bytes | None = None
        self.generation = 0

    @rule(name=NAMES, names=PROTOCOLS, news=st.binary(max_size=1), again=st.booleans())
    def join(self, name: str, names: tuple[str, ...], news: bytes, *, again: bool) -> None:
        waiter = self.ask(name)
        join = Join(
            member_id="" if again else self.ids.get(name, ""),
            instance_id=self.instance(name),
            new_id=f"{name}-{waiter}",
            new_nameless_id="",
            client_id=name,
            client_host="/here",
            session_timeout_ms=1000,
            rebalance_timeout_ms=5000,
            protocol_type="consumer",
            protocols=tuple((one, news) for one in names),
            takes_id_first=name == "ann",
            skips_assignment=name == "eve",
        )
        self.take(joining.join(self.group, join, waiter, self.now))

    @rule(name=NAMES)
    def sync(self, name: str) -> None:
        received = self.received.get(name)
        if received is None:
            return
        names = [one.member_id for one in received.members]
        shares = {one: bytes(range(PARTITIONS)[at :: len(names)]) for at, one in enumerate(names)}
        sync = Sync(
            self.ids.get(name, "nobody"),
            self.instance(name),
            received.generation,
            "consumer",
            received.protocol,
            {} if received.skip_assignment else shares,
        )
        self.take(syncing.sync(self.group, sync, self.ask(name), self.now))

    @rule(name=NAMES)
    def beat(self, name: str) -> None:
        who = self.ids.get(name, "nobody"), self.instance(name)
        leaving.heartbeat(self.group, *who, self.group.generation, self.now)

    @rule(name=NAMES)
    def leave(self, name: str) -> None:
        who = Identity(self.ids.get(name, "nobody"), self.instance(name))
        self.take(leaving.leave(self.group, [who], self.now)[1])

    @rule(ms=st.sampled_from([1, 100, 500, 1500, 6000, 30_000]))
    def wait(self, ms: int) -> None:
        end = self.now + ms
        while (due := self.group.deadline()) is not None and due <= end:
            self.now = max(self.now, due)
            self.take(leaving.on_time(self.group, self.now))
        self.now = end

    @rule(fails=st.booleans())
    def write(self, *, fails: bool) -> None:
        written, self.unwritten = self.unwritten, []
        code = ErrorCode.COORDINATOR_NOT_AVAILABLE if fails else ErrorCode.NONE
        for value, ticket in written:
            if not fails:
                self.kept = value
            if ticket is not None:
                self.take(syncing.stored(self.group, ticket, code, self.now))
        if self.group.state is GroupState.STABLE and not fails and not self.unwritten:
            self.check_restart()

    def check_restart(self) -> None:
        assert self.kept is not None
        again = group_of("g", SETTINGS, decode_group(self.kept))
        if again.generation == self.group.generation:
            known = self.group.members
            assert {one: again.members[one].assignment for one in again.members} == {
                one: known[one].assignment for one in known
            }

    @staticmethod
    def instance(name: str) -> str | None:
        return name if name in STATIC else None

    def ask(self, name: str) -> int:
        self.asked[len(self.asked)] = name
        return len(self.asked) - 1

    def take(self, effects: Effects) -> None:
        for waiter, reply in effects.answers:
            assert isinstance(waiter, int)
            assert waiter not in self.answered, "each request has one answer"
            self.answered.add(waiter)
            name = self.asked[waiter]
            if isinstance(reply, JoinReply):
                self.on_joined(name, reply)
            elif not reply.error:
                self.on_assigned(name, reply)
        if effects.record is not None:
            assert effects.record.value is not None
            self.unwritten.append((effects.record.value, effects.ticket))

    def on_joined(self, name: str, reply: JoinReply) -> None:
        if reply.error in {ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED}:
            self.ids[name] = reply.member_id
        elif reply.error in {ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_MAX_SIZE_REACHED}:
            self.ids.pop(name, None)
        if reply.error:
            return
        self.received[name] = reply
        if reply.members and not reply.skip_assignment:
            leaders = self.leaders.setdefault(reply.generation, set())
            leaders.add(name if name in STATIC else reply.member_id)
            assert len(leaders) == 1, "one member hands out each generation"

    def on_assigned(self, name: str, reply: SyncReply) -> None:
        for partition in reply.assignment:
            place = (self.group.generation, partition)
            owner = self.owners.setdefault(place, name if name in STATIC else self.ids[name])
            assert owner in {name, self.ids[name]}, "one member has each partition"

    @invariant()
    def generations_only_rise(self) -> None:
        assert self.group.generation >= self.generation
        self.generation = self.group.generation

    @invariant()
    def the_state_says_what_there_is(self) -> None:
        group = self.group
        if group.state is GroupState.EMPTY:
            assert not group.members
        if group.state in {GroupState.COMPLETING_REBALANCE, GroupState.STABLE}:
            assert group.leader in group.members
            assert all(group.protocol in dict(one.protocols) for one in group.members.values())
        assert set(group.instances.values()) <= set(group.members)
        assert not set(group.invited) & set(group.members)
        if group.state is GroupState.STABLE:
            shares = [set(one.assignment) for one in group.members.values()]
            assert sum(map(len, shares)) == len(set().union(*shares))

    @invariant()
    def who_waits_waits_for_something(self) -> None:
        due = self.group.deadline()
        assert due is not None or self.group.storing or not self.group.members
        # Whoever sets an alarm goes by this one.
        assert due is None or (self.group.due is not None and self.group.due <= due)

    def teardown(self) -> None:
        """Without heartbeats every session ends, and then no request waits any more."""
        self.write(fails=False)
        self.wait(1_000_000)
        self.write(fails=False)
        assert not self.group.members
        assert self.group.state is GroupState.EMPTY
        assert self.answered == set(self.asked)


TestGroups = Groups.TestCase
TestGroups.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
