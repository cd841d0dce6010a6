"""Requests that are repeated to a member of a cluster: its role may change between any two of them.

As `test_repeats`: one broker answers from its connections' tables, the other reads everything, and both
come to the same.
"""

from collections.abc import Iterable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from barnabas.broker.cluster.member import ClusterMember
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.broker.replicas.leader_role import LeaderRole, LeaderRolePorts
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replication_throttles import ReplicationThrottles
from barnabas.cluster.image import ClusterImage
from barnabas.coordinators.internal_topics import OFFSETS_TOPIC
from barnabas.errors import StorageError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchTopic
from barnabas.replication.leader import Leadership, Limits
from barnabas.types import NodeId
from tests.property.wire.test_repeats import (
    CLASSIC,
    CLIENTS,
    CONSUMER,
    FULL,
    ONE,
    PRODUCES,
    SAYS,
    Batch,
    Changes,
    Conversations,
    Counted,
    Event,
    Joins,
    Ordinary,
    Passes,
    Produces,
    Quick,
    Says,
    Side,
    beats,
    committed,
    known,
)

pytestmark = pytest.mark.kernels

ME, FIRST, SECOND = NODES = (NodeId(1), NodeId(2), NodeId(3))
ALONE, ALL = frozenset({ME}), frozenset(NODES)
TOPICS = ("dogs", OFFSETS_TOPIC)


class Member(Side):
    """A broker of several. The test is its controller."""

    def __init__(self, kind: type[Counted]) -> None:
        super().__init__(kind)
        broker = self.broker
        member = SimpleNamespace(
            image=ClusterImage(), throttles=ReplicationThrottles(broker.config), node_id=ME
        )
        broker.member = cast("ClusterMember", member)
        self.epoch = 0
        self.proposed: list[object] = []
        ports = LeaderRolePorts(
            self.clock, broker.purgatory, lambda *proposed: self.proposed.append(proposed)
        )
        self.ports = ports
        for index in (0, 1):
            self.lead("dogs", index, ALONE, ALONE)

    def lead(
        self, topic: str, index: int, replicas: frozenset[NodeId], isr: frozenset[NodeId]
    ) -> None:
        """Lead a partition, or go on to, in the next epoch."""
        partition, role = self.found(topic, index)
        if partition is None:
            return
        self.epoch += 1
        leadership = Leadership(ME, self.epoch, self.epoch, isr, tuple(sorted(replicas)))
        if isinstance(role, LeaderRole):
            self.broker.replicas.write()
            try:
                role.begin_epoch(leadership)
            except StorageError:
                self.host(partition)
            return
        self.host(partition)
        partition.role = LeaderRole(partition, leadership, Limits(), self.ports)
        partition.leader_epoch = self.epoch

    def follow(self, topic: str, index: int) -> None:
        partition, _ = self.found(topic, index)
        if partition is None:
            return
        self.epoch += 1
        self.host(partition)
        purgatory = self.broker.purgatory
        partition.role = FollowerRole(
            partition, self.epoch, purgatory, in_fetch=True, back_off_ms=1000
        )
        partition.leader_epoch = self.epoch

    def host(self, partition: Partition) -> None:
        self.broker.replicas.host(partition.log)
        self.broker.groups.unload(partition)

    def change_isr(
        self, topic: str, index: int, replicas: frozenset[NodeId], isr: frozenset[NodeId]
    ) -> None:
        _, role = self.found(topic, index)
        if isinstance(role, LeaderRole):
            role.change(isr, tuple(sorted(replicas)), role.leader.partition_epoch + 1)

    def limit(self, topic: str, index: int, min_isr: int) -> None:
        _, role = self.found(topic, index)
        if isinstance(role, LeaderRole):
            role.tick(Limits(min_insync_replicas=min_isr))

    def found(self, topic: str, index: int) -> tuple[Partition | None, object]:
        partition = self.broker.replicas.find(topic, index)
        return partition, partition.role if partition is not None else None


class Roles(NamedTuple):
    """The controller's orders for a partition: its own or another one."""

    what: str
    replicas: frozenset[NodeId] = ALONE
    isr: frozenset[NodeId] = ALONE
    topic: str = "dogs"
    partition: int = 0

    def to(self, both: Conversations) -> None:
        for side in both.sides:
            assert isinstance(side, Member)
            # On a full disk an epoch cannot be written down: the replica is offline then.
            with suppress(StorageError):
                self._carry_out(side)
        both.end_turn()

    def _carry_out(self, side: Member) -> None:
        place, others = (self.topic, self.partition), (self.replicas, self.isr & self.replicas)
        match self.what:
            case "lead":
                side.lead(*place, *others)
            case "follow":
                side.follow(*place)
            case "isr":
                side.change_isr(*place, *others)
            case _:
                assert self.what == "limits"
                side.limit(*place, max(1, len(self.isr)))


class Copies(NamedTuple):
    """The fetch of a follower, which waits where it has all; `behind`: so many records of it."""

    number: int
    follower: NodeId = FIRST
    behind: int = 0
    partition: int = 0

    def to(self, both: Conversations) -> None:
        found = both.sides[0].broker.replicas.find("dogs", self.partition)
        end = found.log.end_offset if found is not None else 0
        one = FetchPartition(
            partition=self.partition, fetch_offset=max(0, end - self.behind),
            partition_max_bytes=1 << 20,
        )  # fmt: skip
        asked = FetchRequest(
            replica_id=self.follower, max_wait_ms=5_000, min_bytes=1, max_bytes=1 << 20,
            topics=[FetchTopic(topic="dogs", partitions=[one])],
        )  # fmt: skip
        both.send(self.number, both.members[self.number].frame(ApiKey.FETCH, 4, asked))


SETS = [ALONE, ALONE, ALL, ALL, frozenset({ME, FIRST}), frozenset({ME, SECOND})]
NOBODY: frozenset[NodeId] = frozenset()
ROLES = st.builds(
    Roles,
    st.sampled_from(["lead", "lead", "lead", "follow", "isr", "isr", "limits"]),
    st.sampled_from(SETS),
    st.sampled_from([*SETS, NOBODY]),
    st.sampled_from(["dogs", "dogs", "dogs", OFFSETS_TOPIC]),
    st.sampled_from([0, 0, 1]),
)
COPIES = st.builds(
    Copies,
    st.integers(0, CLIENTS - 1),
    st.sampled_from([FIRST, SECOND]),
    st.sampled_from([0, 0, 1, 3]),
    st.sampled_from([0, 0, 1]),
)
JOINS = st.builds(Joins, st.just(2), st.sampled_from([CLASSIC, CONSUMER]), st.integers(0, 4))
CHANGES = st.builds(
    Changes, st.sampled_from(["disk", "stamps", "size", "flush", "start", "flushed", "quota"]),
    st.integers(0, 3),
)  # fmt: skip
PASSES = st.builds(Passes, st.sampled_from([0.0, 3.0, 20.0]))
EVENTS: Any = st.one_of(
    PRODUCES,
    PRODUCES,
    PRODUCES.map(lambda one: one._replace(acks=-1)),
    PRODUCES.map(lambda one: one._replace(acks=-1)),
    ROLES,
    ROLES,
    COPIES,
    COPIES,
    SAYS,
    JOINS,
    CHANGES,
    PASSES,
)


def again(acks: int = 1, count: int = 3, *batches: Batch) -> list[Event]:
    """A Produce request so often that it is known."""
    return [Produces(0, batches or (ONE,), 9, acks)] * count


LEADS, FOLLOWS, SHRINKS = Roles("lead", ALL, ALL), Roles("follow"), Roles("isr", ALL, ALONE)
GROWS, NEEDS_TWO, BEHIND = Roles("isr", ALL, ALL), Roles("limits", ALL, ALL), Copies(1)
COPIED: list[Event | Roles | Copies] = [Copies(1), Copies(2, SECOND)]
PARTLY: list[Event | Roles | Copies] = [Copies(1, FIRST, 3), Copies(2, SECOND, 2)]
WAITING: list[Event | Roles | Copies] = [Produces(0, (ONE, ONE), 9, -1)]
GOES_ON = Produces(0, (ONE, ONE), 9, -1, goes_on=True)
"""What comes next is of the same turn of the loop."""
TWICE, BAD = Batch((b"woof",), "sequenced"), Batch((b"woof",), "damaged")


def acknowledged() -> list[Event | Roles | Copies]:
    """A leader with followers knows a request with acks=all, and none waits."""
    return [LEADS, *[*WAITING, *COPIED] * 3]


MOVES = Roles("lead", ALL, ALL, OFFSETS_TOPIC)


@settings(deadline=None)
@example(events=[*again(), *again(-1), Roles("lead"), *again(), *again(-1)])
@example(events=[*again(), FOLLOWS, *again(), Roles("lead"), *again()])
@example(events=[*again(-1), LEADS, *again(-1), Passes(3), Copies(1), *again(-1)])
@example(events=[*again(-1), Roles("isr", ALL, ALONE), *again(-1), *again(1)])
@example(events=[*again(-1), Roles("isr", ALONE, NOBODY), *again(-1)])
@example(events=[LEADS, *again(), BEHIND, *again(), Copies(2, SECOND), *again(1, 1, ONE, ONE)])
@example(events=[LEADS, SHRINKS, *again(), *again(-1), NEEDS_TWO, *again(-1), *again(), GROWS])
@example(events=[LEADS, *again(), FULL, *again(), Changes("disk", 0), *again(-1), *again()])
@example(events=[*again(-1), FULL, *again(-1), Changes("disk", 0), *again()])
@example(events=[LEADS, *again(), Changes("flush", 1), BEHIND, *again(), Changes("flushed", 0)])
@example(events=[*committed(0, CLASSIC), MOVES, Says(0, ("commit",), 9), FOLLOWS, Passes(20)])
@example(events=[*acknowledged(), Produces(0, (ONE,) * 5, 9, -1), *COPIED])
@example(events=[*acknowledged(), *again(), GOES_ON, Produces(0, (ONE,), 9, 1), *COPIED])
@example(events=[*acknowledged(), *again(), GOES_ON, GOES_ON, *again(), *WAITING, *COPIED])
@example(events=[*acknowledged(), *known(0, CLASSIC), GOES_ON, beats(0, 2), *COPIED, beats(0)])
@example(events=[*committed(0, CLASSIC), *acknowledged(), GOES_ON, Says(0, ("commit",)), *COPIED])
@example(events=[*acknowledged(), Produces(0, (ONE,) * 5, 9, -1), *PARTLY, Passes(3), *COPIED])
@example(events=[*acknowledged(), *WAITING, SHRINKS, NEEDS_TWO, *COPIED, *again(-1)])
@example(events=[*acknowledged(), *WAITING, NEEDS_TWO, SHRINKS, *WAITING, GROWS, *COPIED])
@example(events=[*acknowledged(), *WAITING, FOLLOWS, *WAITING, LEADS, *WAITING, *COPIED])
@example(events=[*acknowledged(), *WAITING, LEADS, *WAITING, *COPIED, *COPIED])
@example(events=[*acknowledged(), *WAITING, Changes("delete", 0), *WAITING, *COPIED])
@example(events=[*acknowledged(), *WAITING, FULL, *WAITING, *COPIED, Changes("disk", 0), *COPIED])
@example(events=[*acknowledged(), Changes("flush", 1), *again(-1), *COPIED, Changes("flushed", 0)])
@example(events=[*acknowledged(), *WAITING, Roles("lead"), *WAITING, LEADS, *WAITING, *COPIED])
@example(events=[*acknowledged(), *WAITING, Produces(0, (ONE,), 9, 1, fetches=True), *COPIED])
@example(
    events=[*acknowledged(), Produces(0, (ONE, TWICE, ONE, BAD), 9, -1, fetches=True), *COPIED]
)
@example(events=[*acknowledged(), *WAITING, Says(0, ("beat",), 9), Joins(0, CLASSIC, 4), *COPIED])
@given(events=st.lists(EVENTS, max_size=30))
def test_both_ways_come_to_the_same_whatever_the_role(
    events: Iterable[Event | Roles | Copies],
) -> None:
    both = Conversations(Member)
    for event in events:
        event.to(both)
    assert roles_of(both.sides[0]) == roles_of(both.sides[1])
    both.end()


def roles_of(side: Side) -> list[object]:
    """How far each partition is, and what its leader has requested."""
    assert isinstance(side, Member)
    return [
        (one.log.end_offset, one.log.high_watermark, one.leader_epoch, type(one.role))
        for one in side.broker.replicas.partitions()
    ] + side.proposed


@pytest.mark.parametrize("acks", [1, -1])
def test_the_only_replica_appends_what_is_repeated_without_reading_it(acks: int) -> None:
    both = Conversations(Member)
    for event in [*again(acks, 10), Roles("lead"), *again(acks, 10)]:
        event.to(both)
    assert (Quick.read, Ordinary.read) == (2, 20)
    assert_ends(both, 20, 20)


def test_a_leader_with_followers_appends_what_is_repeated_with_acks_1_without_reading_it() -> None:
    both = Conversations(Member)
    for event in [LEADS, BEHIND, *again(1, 10)]:
        event.to(both)
    # The fetch of the follower, which waited, is the third.
    assert (Quick.read, Ordinary.read) == (3, 11)
    assert b"woof" in both.sides[0].channels[1].sent
    assert_ends(both, 10, 0)


def assert_ends(both: Conversations, end: int, watermark: int) -> None:
    for side in both.sides:
        partition = side.broker.replicas.find("dogs", 0)
        assert partition is not None
        assert (partition.log.written_end, partition.log.high_watermark) == (end, watermark)


def test_acks_all_of_a_leader_with_followers_is_appended_without_being_read() -> None:
    both = Conversations(Member)
    for event in acknowledged():
        event.to(both)
    before, channel = (Quick.read, Ordinary.read), both.sides[0].channels[0]
    for number in range(3):
        sent = len(channel.sent)
        Produces(0, (ONE,) * 4, 9, -1).to(both)
        assert len(channel.sent) == sent, "what is not committed is not acknowledged"
        for each in COPIED:
            each.to(both)
        assert len(channel.sent) > sent
        assert_ends(both, 10 + 4 * number, 10 + 4 * number)
    # Two fetches for each event, and four requests that the ordinary way reads.
    assert (Quick.read - before[0], Ordinary.read - before[1]) == (6, 18)


def test_what_waits_for_replicas_is_acknowledged_as_far_as_they_have_it() -> None:
    both = Conversations(Member)
    for event in acknowledged():
        event.to(both)
    channel = both.sides[0].channels[0]
    before = len(channel.sent)
    Produces(0, (ONE,) * 5, 9, -1).to(both)
    for event in PARTLY:
        event.to(both)
    some = len(channel.sent) - before
    for event in COPIED:
        event.to(both)
    every = len(channel.sent) - before
    assert (some, every) == (2 * every // 5, every)


def test_whoever_goes_while_records_wait_for_replicas_leaves_nothing_behind() -> None:
    both = Conversations(Member)
    for event in acknowledged():
        event.to(both)
    Produces(0, (ONE,) * 3, 9, -1).to(both)
    # Of the quick way one waits for all, of the ordinary way one for each.
    assert [len(side.broker.purgatory._waiting) for side in both.sides] == [1, 3]
    for side in both.sides:
        side.clients[0].connection.close()
        assert not side.broker.purgatory._waiting
    for event in COPIED:
        event.to(both)


def test_what_reads_behind_records_waits_until_replicas_have_them() -> None:
    both = Conversations(Member)
    for event in acknowledged():
        event.to(both)
    before = [len(side.channels[0].sent) for side in both.sides]
    Produces(0, (ONE,) * 3, 9, -1, fetches=True).to(both)
    assert [len(side.channels[0].sent) for side in both.sides] == before
    for event in COPIED:
        event.to(both)
    for side, sent in zip(both.sides, before, strict=True):
        # The consumer gets what is committed by then: all nine batches.
        assert side.channels[0].sent[sent:].count(b"woof") == 9


def test_commits_that_repeat_are_not_read_where_the_offsets_have_one_replica() -> None:
    both = Conversations(Member)
    for event in [*committed(0, CLASSIC), Roles("lead", topic=OFFSETS_TOPIC), Passes(0)]:
        event.to(both)
    for event in committed(0, CLASSIC):
        event.to(both)
    before = Quick.read, Ordinary.read
    for offset in range(3):
        Says(0, ("commit",), offset).to(both)
    assert (Quick.read, Ordinary.read) == (before[0], before[1] + 3)
    both.end()
