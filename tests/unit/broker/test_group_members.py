"""What is too large to be written, a way back to classic above all: the group is as it was."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from barnabas.broker.group_shards import Held
from barnabas.coordinators.consumer_group.beating import Beat, BeatReply
from barnabas.coordinators.group.joining import Join
from barnabas.coordinators.group.member import Identity
from barnabas.coordinators.group.replies import JoinReply
from barnabas.coordinators.group.shard import GroupKind
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Timer
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from tests.unit.broker.test_group_offsets import NoTimers, Started

TOO_LARGE = ErrorCode.UNKNOWN_SERVER_ERROR
SAID = bytes.fromhex("0000 00000001 0004 646f6773") + (600_000).to_bytes(4, "big") + bytes(600_000)


@dataclass
class Alarm:
    ring: Callable[[], None]
    is_set: bool = True

    def cancel(self) -> None:
        self.is_set = False


@pytest.fixture
def alarms(monkeypatch: pytest.MonkeyPatch) -> list[Alarm]:
    """The alarms that were ever set."""
    made: list[Alarm] = []

    def after(_self: object, _seconds: float, callback: Callable[[], None]) -> Timer:
        made.append(Alarm(callback))
        return made[-1]

    monkeypatch.setattr(NoTimers, "after", after)
    return made


def beat(
    started: Started, epoch: int, topics: tuple[str, ...] = ("dogs",)
) -> list[BeatReply | BrokerError]:
    told: list[BeatReply | BrokerError] = []
    asked = Beat(
        group_id="g", member_id="new", epoch=epoch, client_id="c", client_host="/h",
        topics=topics, rebalance_timeout_ms=50_000,
    )  # fmt: skip
    started.broker.members.beat(asked, told.append)
    started.broker.groups.write()
    return told


def join(started: Started, name: str) -> list[JoinReply]:
    """What it is told, now or later."""
    asked = Join(
        Identity(""), name, name, "c", "/h", 100_000, 100_000, "consumer", (("range", SAID),),
        takes_id_first=False, skips_assignment=False,
    )  # fmt: skip
    told: list[JoinReply] = []
    started.broker.members.join("g", asked, told.append)
    started.broker.groups.write()
    return told


@pytest.fixture
def started(tmp_path: Path, alarms: list[Alarm]) -> Iterator[Started]:
    """With a group of which one member sends heartbeats, and of two who do not each says much."""
    assert alarms == []
    one = Started(tmp_path)
    beat(one, 0)
    assert [told.error for told in (*join(one, "old"), *join(one, "older"))] == [ErrorCode.NONE] * 2
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


def test_who_leaves_with_a_heartbeat_is_told_and_stays(
    started: Started, tmp_path: Path, alarms: list[Alarm], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        told = beat(started, -1)
    assert "consumer group is a classic one now" not in caplog.messages
    assert [one.code for one in told if isinstance(one, BrokerError)] == [TOO_LARGE]
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


def test_who_is_silent_stays_until_its_next_session_ends(
    started: Started, tmp_path: Path, alarms: list[Alarm], monkeypatch: pytest.MonkeyPatch
) -> None:
    later = started.broker.groups.now_ms() + 70_000
    monkeypatch.setattr(started.broker.groups, "now_ms", lambda: later)
    (alarm,) = [one for one in alarms if one.is_set]
    alarm.is_set = False
    alarm.ring()
    check_nothing_else_is_left(started, tmp_path, alarms)


def test_who_joined_a_classic_group_that_there_is_not_is_told(started: Started) -> None:
    """As where the end of an empty consumer group, which gave way to it, was not written."""
    groups = started.broker.groups
    held = groups.of("g")
    held.shard.consumer.become({})
    told = join(started, "x")
    assert told == []
    groups.restore(held)
    assert [one.error for one in told] == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
    assert is_as_it_was(held)


def test_who_says_too_much_by_itself_has_no_group_read_again(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    restored: list[object] = []
    monkeypatch.setattr(started.broker.groups, "restore", restored.append)
    (told,) = beat(started, 0, tuple("x" * 240 + str(n) for n in range(5_000)))
    assert isinstance(told, BrokerError)
    assert (told.code, restored) == (TOO_LARGE, [])
    with pytest.raises(BrokerError, match="1200000 bytes"):
        started.broker.members.join("g", _saying(1_200_000), lambda _: None)
    assert not restored


def _saying(size: int) -> Join:
    return Join(
        Identity(""), "big", "big", "c", "/h", 100_000, 100_000, "consumer", (("range", bytes(size)),),
        takes_id_first=False, skips_assignment=False,
    )  # fmt: skip
