"""Connections that only beat: when they may be heard late, and that they are answered as all others."""

from collections.abc import Iterator
from contextlib import ExitStack
from threading import Event
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.idle_heartbeats import HEARTBEATS, Pulse
from barnabas.broker.connections.listener_dialects import Spoken
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.purgatory import Pending
from barnabas.dialects.dialect import Request
from barnabas.dialects.kafka.requests import KafkaDialect, Ways
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.leave_group import LeaveGroupRequest, LeaveGroupResponse
from barnabas.protocol.list_groups import ListGroupsRequest, ListGroupsResponse
from barnabas.runtime.connections.batched_polling import ENOUGH, SlowLane
from barnabas.runtime.connections.connection import Connection
from barnabas.runtime.connections.frame_handler import Answer
from barnabas.testing import EmbeddedBroker
from barnabas.versions import VersionRange
from tests.unit.broker.in_memory import StillClock
from tests.unit.broker.raw_client import RawClient
from tests.unit.runtime.manual_timers import ManualTimers

BEAT = HeartbeatRequest(group_id="group", generation_id=1, member_id="member")
LEAVE = LeaveGroupRequest(group_id="group", member_id="member")
SERVED = {
    ApiKey.HEARTBEAT: VersionRange.parse("0-4"),
    ApiKey.LEAVE_GROUP: VersionRange.parse("0-2"),
}


def test_the_apis_of_heartbeats_are_all_there_are_of_groups() -> None:
    groups = {int(key) for key in ApiKey if key.name.endswith("HEARTBEAT")}
    assert groups - {ApiKey.BROKER_HEARTBEAT} == HEARTBEATS


@pytest.mark.parametrize(("size", "is_kept"), [(100, True), (1 << 20, False)])
def test_what_is_large_is_not_kept(size: int, *, is_kept: bool) -> None:
    one = Pulse()
    request = Request(int(ApiKey.HEARTBEAT), 4, 1, "c", BEAT)
    assert (
        one.learn(memoryview(bytes(size)), request, HeartbeatResponse(error_code=0), bytes(9))
        is is_kept
    )
    assert (one.repeated is not None) is is_kept


class Wire:
    """As much of a Connection as a client of groups needs; what it sends is noted."""

    peer = "127.0.0.1:1"
    broken = None

    def __init__(self) -> None:
        self.client_id: str | None = None
        self._answer: Answer | None = None
        self._paused = False
        self.sent = bytearray()
        self.guarded = lambda step, *arguments: step(*arguments)

    def be_patient(self, answer: Answer | None) -> None:
        self._answer = answer

    def is_patient(self) -> bool:
        return self._answer is not None

    def pause(self) -> None:
        self._paused = True

    def resume(self, reply: bytes | None = None) -> None:
        if reply is not None:
            self.send(reply)
        self._paused = False

    def is_paused(self) -> bool:
        return self._paused

    def is_known(self, received: bytes) -> bool:
        """Whether its client answers that without taking it for a frame."""
        answer = None if self._answer is None else self._answer(memoryview(received))
        if answer:
            self.send(answer)
        return answer is not None

    def send(self, reply: bytes) -> None:
        self.sent += reply


class Member:
    """A client on a wire, and a broker that answers as a test says."""

    def __init__(self) -> None:
        self.clock = StillClock()
        self.quotas = SimpleNamespace(in_force=False)
        self.answer: object = HeartbeatResponse(error_code=0)
        self.asked: list[object] = []
        self.client_id = "c"
        self.asked_by: list[str | None] = []
        self.is_steady = False
        self.accepted = 0
        self.wire = Wire()
        broker = SimpleNamespace(
            clock=self.clock,
            quotas=self.quotas,
            timers=ManualTimers(),
            replicas=SimpleNamespace(write=lambda: True, take_unseen=list),
            members=SimpleNamespace(steady=lambda *_: SimpleNamespace(beat=self._beat)),
        )
        handlers = {
            ApiKey.HEARTBEAT: self._on_beat,
            ApiKey.LEAVE_GROUP: lambda *_: LeaveGroupResponse(error_code=0),
        }
        self.client = ClientConnection(
            cast("Broker", broker),
            cast("Spoken", (KafkaDialect(Ways(SERVED)), handlers)),
            cast("Connection", self.wire),
            listener="PLAINTEXT",
            number=1,
            on_gone=lambda _: None,
        )
        self._said = 0

    def say(self, *messages: object, after: float = 3.0) -> list[tuple[int, object]]:
        """All in one event; gives the numbers of requests that were answered, and the answers."""
        self.clock.seconds += after
        for message in messages:
            self._said += 1
            key, version = _spoken(message)
            frame = encode_request(
                RequestHeader(key, version, self._said, self.client_id), message
            ).joined()
            if len(messages) == 1 and self.wire.is_known(frame):
                return self.answers(messages)
            if not self.client.on_frame(memoryview(frame)[4:]):
                break
        self.client.on_event_end()
        return self.answers(messages)

    def answers(self, messages: tuple[object, ...]) -> list[tuple[int, object]]:
        """What was sent since the last time, to these."""
        found = []
        for message in messages:
            if self.wire.sent:
                size = int.from_bytes(self.wire.sent[:4]) + 4
                frame = bytes(self.wire.sent[4:size])
                found.append(decode_response(*_spoken(message), frame))
                del self.wire.sent[:size]
        assert not self.wire.sent
        return found

    def _beat(self) -> bool:
        self.accepted += self.is_steady
        return self.is_steady

    def _on_beat(self, _broker: object, context: RequestContext, body: object) -> object:
        self.asked.append(body)
        self.asked_by.append(context.client_id)
        return self.answer


def _spoken(message: object) -> tuple[ApiKey, int]:
    return (ApiKey.HEARTBEAT, 4) if message is BEAT else (ApiKey.LEAVE_GROUP, 2)


@pytest.fixture
def member() -> Member:
    """One that has said twice that it is alive, as members do."""
    member = Member()
    assert member.say(BEAT) == [(1, HeartbeatResponse(error_code=0))]
    assert not member.wire.is_patient()
    assert member.say(BEAT) == [(2, HeartbeatResponse(error_code=0))]
    assert member.wire.is_patient()
    return member


def test_who_beats_again_is_heard_and_answered_anew(member: Member) -> None:
    member.answer = HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS)
    assert member.say(BEAT) == [(3, member.answer)]
    assert member.asked == [BEAT, BEAT, BEAT]
    assert member.wire.is_patient()


def test_where_nothing_happens_the_group_is_not_asked(member: Member) -> None:
    member.is_steady = True
    alive = HeartbeatResponse(error_code=0)
    assert [member.say(BEAT) for _ in range(2)] == [[(3, alive)], [(4, alive)]]
    assert (member.accepted, len(member.asked)) == (2, 2)
    member.is_steady = False
    member.answer = again = HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS)
    assert member.say(BEAT) == [(5, again)]
    assert (member.accepted, len(member.asked)) == (2, 3)


def test_who_is_told_news_is_heard_the_short_way_again_once_it_is_none(member: Member) -> None:
    news = HeartbeatResponse(error_code=0, throttle_time_ms=7)
    member.answer = news
    assert [member.say(BEAT) for _ in range(2)] == [[(3, news)], [(4, news)]]
    member.is_steady = True
    assert [member.say(BEAT) for _ in range(2)] == [[(5, news)], [(6, news)]]
    assert (member.accepted, len(member.asked)) == (2, 4)


def test_who_was_refused_has_to_ask() -> None:
    member = Member()
    member.is_steady = True
    member.answer = refused = HeartbeatResponse(error_code=ErrorCode.UNKNOWN_MEMBER_ID)
    assert [member.say(BEAT) for _ in range(3)] == [[(1, refused)], [(2, refused)], [(3, refused)]]
    assert (member.accepted, len(member.asked)) == (0, 3)


def test_under_quotas_each_beat_is_counted(member: Member) -> None:
    member.is_steady = member.quotas.in_force = True
    assert not member.wire.is_known(b"anything")


def test_who_asks_anything_else_is_in_a_hurry_again(member: Member) -> None:
    assert member.say(LEAVE) == [(3, LeaveGroupResponse(error_code=0))]
    assert not member.wire.is_patient()
    member.say(BEAT)
    assert not member.wire.is_patient()
    member.say(BEAT)
    assert member.wire.is_patient()


def test_what_comes_between_beats_begins_them_anew() -> None:
    member = Member()
    for message in (BEAT, LEAVE, BEAT):
        assert len(member.say(message)) == 1
        assert not member.wire.is_patient()
    member.say(BEAT)
    assert member.wire.is_patient()


def test_beats_that_follow_each_other_at_once_are_in_a_hurry() -> None:
    member = Member()
    for _ in range(5):
        member.say(BEAT, after=0.5)
    assert not member.wire.is_patient()


def test_who_was_calm_once_stays_so_when_beats_do(member: Member) -> None:
    member.client_id = "another"  # so that it is not known by its words
    member.say(BEAT, after=0.1)
    assert member.wire.is_patient()


def test_answers_keep_the_order_of_what_came_together(member: Member) -> None:
    beaten, left = HeartbeatResponse(error_code=0), LeaveGroupResponse(error_code=0)
    together = [(3, beaten), (4, beaten), (5, left), (6, beaten)]
    assert member.say(BEAT, BEAT, LEAVE, BEAT) == together


def test_a_beat_may_have_to_wait_as_any_request(member: Member) -> None:
    member.answer = waiting = Pending()
    assert member.say(BEAT) == []
    assert member.wire.is_paused()
    waiting.complete(HeartbeatResponse(error_code=0))
    assert not member.wire.is_paused()
    assert member.answers((BEAT,)) == [(3, HeartbeatResponse(error_code=0))]


def test_so_may_one_of_two_that_come_together(member: Member) -> None:
    member.answer = waiting = Pending()
    assert member.say(BEAT, BEAT) == []
    assert len(member.asked) == 3
    waiting.complete(HeartbeatResponse(error_code=0))
    assert member.answers((BEAT,)) == [(3, HeartbeatResponse(error_code=0))]


def test_who_says_the_same_by_another_name_between_is_asked_by_its_own(member: Member) -> None:
    member.client_id = "d"
    member.answer = waiting = Pending()
    assert member.say(BEAT) == []
    waiting.complete(HeartbeatResponse(error_code=0))
    member.answers((BEAT,))
    member.client_id = "c"
    member.answer = again = HeartbeatResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS)
    assert member.say(BEAT) == [(4, again)]
    assert member.asked_by == ["c", "c", "d", "c"]


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Set when a broker has looked into its slow lane. Beats at once are calm ones here."""
    looked = Event()
    look = SlowLane._look

    def note(lane: SlowLane) -> None:
        look(lane)
        looked.set()

    monkeypatch.setattr(SlowLane, "_look", note)
    monkeypatch.setattr("barnabas.broker.connections.connection.CALM_SECONDS", 0.0)
    return looked


@pytest.fixture
def members(looked: Event) -> Iterator[tuple[EmbeddedBroker, list[RawClient]]]:
    """A broker and so many clients that only beat that they are looked at together."""
    with EmbeddedBroker() as broker, ExitStack() as stack:
        clients = [stack.enter_context(RawClient(broker.port)) for _ in range(ENOUGH)]
        for _ in range(2):
            beat_all(clients)
        assert looked.wait(60)
        yield broker, clients


def beat_all(clients: list[RawClient]) -> None:
    for client in clients:
        client.send(client.frame(BEAT, 4))
    for client in clients:
        assert client.receive(HeartbeatResponse).error_code != ErrorCode.NONE  # there is no group


@pytest.mark.kernels
def test_many_who_only_beat_are_served_whatever_they_do_next(
    members: tuple[EmbeddedBroker, list[RawClient]], looked: Event
) -> None:
    broker, clients = members
    looked.clear()
    beat_all(clients)
    assert looked.wait(60)  # The answers are there before the look is over.
    assert clients[0].ask(ListGroupsRequest(), 0, ListGroupsResponse).groups == []
    clients[1].end_sending()
    assert clients[1].is_closed_by_the_other_side()
    beat_all(clients[2:])
    broker.stop()
    assert all(client.is_closed_by_the_other_side() for client in clients)


@pytest.mark.kernels
def test_when_most_have_left_the_others_are_served(
    members: tuple[EmbeddedBroker, list[RawClient]],
) -> None:
    _, clients = members
    for client in clients[1:]:
        client.end_sending()
    assert all(client.is_closed_by_the_other_side() for client in clients[1:])
    beat_all(clients[:1])
