"""Responses that wait for other replicas: in order, and each connection waits again whenever some do."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from barnabas.broker.broker import Broker
from barnabas.broker.connections.ordered_replies import OrderedReplies
from barnabas.broker.purgatory.pending import Unreplicated
from barnabas.dialects.dialect import Dialect
from barnabas.runtime.connections.connection import Connection
from tests.unit.runtime.manual_timers import ManualTimers


class FakeConnection:
    """A connection that notes what is sent, and whether it takes requests."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.is_paused = False

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False

    def send(self, reply: bytes) -> None:
        self.sent.append(reply)

    def guarded(self, act: Callable[..., None], *more: object) -> None:
        act(*more)


class Turn:
    """A turn of the loop, which ends when a test says so."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], None]] = []

    def when_over(self, act: Callable[[], None]) -> None:
        self._waiting.append(act)

    def end(self) -> None:
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()


class Talk:
    """A connection's replies, and the turn of its loop."""

    def __init__(self) -> None:
        self.connection = FakeConnection()
        self.turn = Turn()
        replicas = SimpleNamespace(write=lambda: True)
        broker = SimpleNamespace(turn=self.turn, replicas=replicas, timers=ManualTimers())
        self.replies = OrderedReplies(
            cast("Broker", broker),
            cast("Dialect", SimpleNamespace(at_once=1)),
            cast("Connection", self.connection),
        )

    def event(self, *outcomes: bytes | Unreplicated) -> None:
        """Requests come whose outcomes these are."""
        self.replies.take_known(*outcomes)
        self.replies.on_event_end()

    @property
    def seen(self) -> tuple[bytes, bool]:
        """What has been sent, and whether no more is taken."""
        return b"".join(self.connection.sent), self.connection.is_paused


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_records_that_others_lack_mute_a_connection_at_the_end_of_the_turn(talk: Talk) -> None:
    first, second = Unreplicated(), Unreplicated()
    talk.event(b"a", first, b"c")
    assert talk.seen == (b"a", False)
    talk.event(second)
    assert talk.seen == (b"a", False)
    talk.turn.end()
    assert talk.seen == (b"a", True)
    second.complete(b"d")
    assert talk.seen == (b"a", True)
    first.complete(b"b")
    assert talk.seen == (b"abcd", False)


def test_what_left_before_the_end_of_the_turn_mutes_nothing_and_the_next_does(talk: Talk) -> None:
    first, second, third = Unreplicated(), Unreplicated(), Unreplicated()
    talk.event(first)
    first.complete(b"a")
    talk.event(b"b")
    assert talk.seen == (b"ab", False)
    talk.turn.end()
    assert talk.seen == (b"ab", False)

    talk.event(second)
    talk.turn.end()
    assert talk.seen == (b"ab", True)
    second.complete(b"c")
    assert talk.seen == (b"abc", False)
    talk.event(third)
    talk.turn.end()
    assert talk.seen == (b"abc", True)
    third.complete(b"d")
    assert talk.seen == (b"abcd", False)


def test_a_connection_that_waits_for_the_first_of_several_waits_for_the_rest(talk: Talk) -> None:
    first, second = Unreplicated(), Unreplicated()
    talk.event(first, second)
    talk.turn.end()
    first.complete(b"a")
    assert talk.seen == (b"a", True)
    talk.turn.end()
    second.complete(b"b")
    assert talk.seen == (b"ab", False)


def test_a_client_that_goes_ends_what_waits_for_it(talk: Talk) -> None:
    first, second = Unreplicated(), Unreplicated()
    talk.event(first, second)
    talk.replies.give_up()
    assert (first.is_done, second.is_done) == (True, True)
    assert talk.seen[0] == b""
