"""What is too large to be written, a way back to classic above all: the group is as it was."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest

from barnabas.broker.groups.classic_membership import GroupMembership
from barnabas.broker.groups.group_shards import Held
from barnabas.broker.groups.members import GroupMembers
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Stepping
from barnabas.coordinators.classic_group.group_states import GroupState
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.classic_group.replies import JoinReply
from barnabas.coordinators.consumer_group.heartbeats import ConsumerHeartbeat, HeartbeatReply
from barnabas.coordinators.known_groups import GroupKind
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat, StreamsHeartbeatReply
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Timer
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from tests.unit.broker.groups.test_offsets import NoTimers, Started
from tests.unit.coordinators.consumer_group.test_groups import a_classic_group
from tests.unit.coordinators.streams_group.a_topology import part, topology
from tests.unit.runtime.manual_timers import ManualTimers

TOO_LARGE = ErrorCode.UNKNOWN_SERVER_ERROR
SUBSCRIPTION = (
    bytes.fromhex("0000 00000001 0004 646f6773") + (600_000).to_bytes(4, "big") + bytes(600_000)
)
TOO_MANY_TOPICS = tuple("x" * 240 + str(n) for n in range(5_000))


@dataclass
class Alarm:
    ring: Callable[[], None]
    seconds: float
    is_set: bool = True

    def cancel(self) -> None:
        self.is_set = False


@pytest.fixture
def alarms(monkeypatch: pytest.MonkeyPatch) -> list[Alarm]:
    """The alarms that were ever set."""
    made: list[Alarm] = []

    def after(_self: object, seconds: float, callback: Callable[[], None]) -> Timer:
        made.append(Alarm(callback, seconds))
        return made[-1]

    monkeypatch.setattr(NoTimers, "after", after)
    return made


def beat(
    started: Started, epoch: int, topics: tuple[str, ...] = ("dogs",)
) -> list[HeartbeatReply | BrokerError]:
    received = queued(started, "g", epoch, topics)
    started.broker.groups.write()
    return received


def queued(
    started: Started, group_id: str, epoch: int, topics: tuple[str, ...] = ("dogs",)
) -> list[HeartbeatReply | BrokerError]:
    """Its answer, once the groups are written if not at once."""
    received: list[HeartbeatReply | BrokerError] = []
    asked = ConsumerHeartbeat(
        group_id=group_id, member_id="new", epoch=epoch, client_id="c", client_host="/h",
        topics=topics, rebalance_timeout_ms=50_000,
    )  # fmt: skip
    started.broker.members.beat(asked, received.append)
    return received


def beat_of_streams(started: Started, epoch: int) -> None:
    asked = StreamsHeartbeat(
        group_id="g", member_id="new", epoch=epoch, client_id="c", client_host="/h",
        topology=topology(part("0", "dogs")) if epoch == 0 else None, rebalance_timeout_ms=50_000,
    )  # fmt: skip
    received: list[StreamsHeartbeatReply | BrokerError] = []
    started.broker.streams.beat(asked, received.append)
    started.broker.groups.write()
    assert [isinstance(one, StreamsHeartbeatReply) for one in received] == [True]


def join(started: Started, name: str) -> list[JoinReply]:
    """Its answer, now or later."""
    received: list[JoinReply] = []
    started.broker.members.join("g", _join(name, SUBSCRIPTION), received.append)
    started.broker.groups.write()
    return received


@pytest.fixture
def started(tmp_path: Path, alarms: list[Alarm]) -> Iterator[Started]:
    """With a group of which one member sends heartbeats, and of two who do not each says much."""
    assert alarms == []
    one = Started(tmp_path)
    beat(one, 0)
    assert [received.error for received in (*join(one, "old"), *join(one, "older"))] == [
        ErrorCode.NONE
    ] * 2
    yield one
    one.stop()


def is_as_it_was(held: Held) -> bool:
    group = held.shard.consumer.get("g")
    assert group is not None
    return (
        held.shard.kind_of("g") is GroupKind.CONSUMER
        and list(held.shard.groups()) == []
        and set(group.members) == {"new", "old", "older"}
    )


def check_nothing_else_is_left(started: Started, path: Path, alarms: list[Alarm]) -> None:
    assert is_as_it_was(started.broker.groups.of("g"))
    assert len([one for one in alarms if one.is_set]) == 1
    started.stop()
    again = Started(path)
    assert is_as_it_was(again.broker.groups.of("g"))
    again.stop()


def test_a_member_that_leaves_by_heartbeat_is_answered_and_stays(
    started: Started, tmp_path: Path, alarms: list[Alarm], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        received = beat(started, -1)
    assert "consumer group is a classic one now" not in caplog.messages
    assert [one.code for one in received if isinstance(one, BrokerError)] == [TOO_LARGE]
    check_nothing_else_is_left(started, tmp_path, alarms)


def test_who_is_taken_out_is_not_and_the_answer_says_so(
    started: Started, tmp_path: Path, alarms: list[Alarm]
) -> None:
    one = MemberIdentity(member_id="new", reason="a test")
    request = LeaveGroupRequest(group_id="g", members=[one])
    answer = started.ask(ApiKey.LEAVE_GROUP, 5, request)
    assert isinstance(answer, LeaveGroupResponse)
    assert (answer.error_code, answer.members) == (TOO_LARGE, [])
    check_nothing_else_is_left(started, tmp_path, alarms)


def test_who_is_silent_stays_and_is_looked_at_again_soon(
    started: Started, tmp_path: Path, alarms: list[Alarm], monkeypatch: pytest.MonkeyPatch
) -> None:
    later = started.broker.groups.now_ms() + 70_000
    monkeypatch.setattr(started.broker.groups, "now_ms", lambda: later)
    (alarm,) = [one for one in alarms if one.is_set]
    alarm.is_set = False
    alarm.ring()
    assert [one.seconds for one in alarms if one.is_set] == [0.5]
    check_nothing_else_is_left(started, tmp_path, alarms)


def test_a_member_of_a_classic_group_that_is_not_there_gets_an_error(started: Started) -> None:
    """As where the end of an empty consumer group, which gave way to it, was not written."""
    groups = started.broker.groups
    held = groups.of("g")
    held.shard.consumer.become({})
    received = join(started, "x")
    assert received == []
    groups.restore(held)
    assert [one.error for one in received] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert is_as_it_was(held)


def test_who_says_too_much_changes_no_group(
    started: Started, tmp_path: Path, alarms: list[Alarm], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others have decided is not read again either, as it may not be in the log yet."""
    restored: list[object] = []
    monkeypatch.setattr(started.broker.groups, "restore", restored.append)
    held = started.broker.groups.of("g")
    other = next(name for name in map(str, count()) if started.broker.groups.of(name) is held)
    waiting = queued(started, other, 0)
    (received,) = queued(started, "g", 0, TOO_MANY_TOPICS)
    assert isinstance(received, BrokerError)
    joined: list[JoinReply] = []
    started.broker.members.join("g", _join("big", bytes(1_200_000)), joined.append)
    assert (received.code, [one.error for one in joined]) == (TOO_LARGE, [TOO_LARGE])
    assert (restored, waiting) == ([], [])
    assert is_as_it_was(held)
    assert held.shard.consumer.by_id()[other].members.keys() == {"new"}
    started.broker.groups.write()
    assert [isinstance(one, HeartbeatReply) for one in waiting + queued(started, other, -1)] == [
        True
    ]
    check_nothing_else_is_left(started, tmp_path, alarms)


def test_a_classic_group_goes_on_where_who_joins_it_says_too_much(
    tmp_path: Path, alarms: list[Alarm], caplog: pytest.LogCaptureFixture
) -> None:
    one = Started(tmp_path)
    shard = one.broker.groups.of("g").shard
    classic = a_classic_group(shard, "old")
    with caplog.at_level("INFO"):
        (received,) = beat(one, 0, TOO_MANY_TOPICS)
    assert isinstance(received, BrokerError)
    assert (received.code, shard.group("g")) == (TOO_LARGE, classic)
    assert (classic.state, set(classic.members)) == (GroupState.STABLE, {"old"})
    assert (shard.kind_of("g"), alarms) == (GroupKind.CLASSIC, [])
    assert "classic group is a consumer group now" not in caplog.messages
    assert isinstance(beat(one, 0)[0], HeartbeatReply)
    assert (shard.kind_of("g"), classic.state) == (GroupKind.CONSUMER, GroupState.DEAD)
    one.stop()


@pytest.mark.parametrize("kind", [GroupKind.CONSUMER, GroupKind.STREAMS])
def test_a_member_of_an_empty_group_that_cannot_end_gets_an_error_and_it_stays(
    tmp_path: Path, alarms: list[Alarm], monkeypatch: pytest.MonkeyPatch, kind: GroupKind
) -> None:
    assert alarms == []
    one = Started(tmp_path)
    for epoch in (0, -1):
        if kind is GroupKind.CONSUMER:
            beat(one, epoch)
        else:
            beat_of_streams(one, epoch)
    held = one.broker.groups.of("g")
    tiny = replace(held.partition.log.config, max_message_bytes=1)
    with monkeypatch.context() as patch:
        patch.setattr(held.partition.log, "config", tiny)
        assert [received.error for received in join(one, "old")] == [TOO_LARGE]
    assert (held.shard.kind_of("g"), list(held.shard.groups())) == (kind, [])
    assert join(one, "old") == [], "the first rebalance waits for others"
    assert held.shard.kind_of("g") is GroupKind.CLASSIC
    one.stop()


def test_the_answer_to_who_leaves_waits_until_that_is_written(started: Started) -> None:
    received: list[object] = []
    members = started.broker.members
    group = started.broker.groups.of("g").shard.consumer.by_id()["g"]
    gone = next(name for name in group.members if name != "new")
    pending = members.leave("g", [Identity(gone), Identity("nobody")], received.append)
    assert (isinstance(pending, Pending), received) == (True, [])
    started.broker.groups.write()
    assert received == [[ErrorCode.NONE, ErrorCode.UNKNOWN_MEMBER_ID]]


def _join(name: str, given: bytes) -> Join:
    return Join(
        "", None, name, name, "c", "/h", 100_000, 100_000, "consumer", (("range", given),),
        takes_id_first=False, skips_assignment=False,
    )  # fmt: skip


def joining_by(regex: str) -> ConsumerHeartbeat:
    return ConsumerHeartbeat(
        group_id="g", member_id="new", epoch=0, client_id="c", client_host="/h",
        topics=(), regex=regex, rebalance_timeout_ms=50_000, owned=frozenset(),
    )  # fmt: skip


def matching_in_steps(started: Started, timers: ManualTimers) -> GroupMembers:
    """Its members, on a broker with twenty topics of cats."""
    for number in range(20):
        started.broker.topics.create(f"cats-{number}", {0: [1]}, {})
    groups = started.broker.groups
    stepping = Stepping(started.broker.replicas.write, timers, count().__next__)
    policies, classic = started.broker.consumer_policies, GroupMembership(groups, timers)
    return GroupMembers(groups, timers, stepping, policies, classic)


def test_an_expression_that_takes_long_is_matched_in_steps(
    tmp_path: Path, alarms: list[Alarm]
) -> None:
    started, timers = Started(tmp_path), ManualTimers()
    members = matching_in_steps(started, timers)
    received: list[HeartbeatReply | BrokerError] = []
    asked = joining_by("(?:.?){900}cats.*")
    later = members.beat(asked, received.append)
    assert isinstance(later, Pending)
    timers.next.pop(0)()
    assert timers.next
    assert not received
    quick: list[HeartbeatReply | BrokerError] = []
    members.beat(replace(asked, group_id="other", regex="d.*"), quick.append)
    started.broker.groups.write()
    assert len(quick) == 1
    timers.run_soon()
    assert later.is_done
    (reply,) = received
    assert isinstance(reply, HeartbeatReply)
    assert len(list(reply.assigned or ())) == 20
    del alarms


def test_who_has_gone_while_it_was_matched_does_not_join(
    tmp_path: Path, alarms: list[Alarm]
) -> None:
    started, timers = Started(tmp_path), ManualTimers()
    groups = started.broker.groups
    members = matching_in_steps(started, timers)
    received: list[HeartbeatReply | BrokerError] = []
    asked = joining_by("(?:.?){900}cats.*x?")
    later = members.beat(asked, received.append)
    assert isinstance(later, Pending)
    timers.next.pop(0)()
    later.give_up()
    timers.run_soon()
    assert not received
    assert groups.of("g").shard.consumer.get("g") is None
    del alarms
