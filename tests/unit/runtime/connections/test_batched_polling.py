"""The lane of readers that may be late: when it is used, who is called, and the ways out of it."""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import pytest

from barnabas.runtime.connections.batched_polling import BatchedPolling
from barnabas.runtime.loops.poll_loop import PollLoop
from barnabas.runtime.loops.poller import Poller, SelectorPoller, best_poller

ENOUGH = 4


class Road:
    """A loop, a lane, and pairs of sockets; what readers receive is noted."""

    def __init__(self, make_poller: Callable[[], Poller]) -> None:
        self.loop = PollLoop(make_poller())
        self.lane = BatchedPolling(self.loop, enough=ENOUGH, make_poller=make_poller)
        self.pairs = [socket.socketpair() for _ in range(ENOUGH + 1)]
        self.received: list[tuple[int, bytes]] = []
        self._wanted = 0
        for index, (ours, _) in enumerate(self.pairs):
            self.loop.add_reader(ours.fileno(), partial(self._receive, index))

    def close(self) -> None:
        self.loop.close()
        for pair in self.pairs:
            for one in pair:
                one.close()

    def fd(self, index: int) -> int:
        return self.pairs[index][0].fileno()

    def enter(self, *indices: int) -> None:
        for index in indices:
            self.lane.enter(self.fd(index), partial(self._receive, index))

    def say(self, index: int, what: bytes) -> None:
        self.pairs[index][1].send(what)

    def until_received(self, count: int) -> list[tuple[int, bytes]]:
        """What was received since the last time, once it is so much."""
        self._wanted = count
        self.loop.run()
        received, self.received = self.received, []
        return sorted(received)

    def is_watched_by_the_loop(self, index: int) -> bool:
        watched = self.loop.remove_reader(self.fd(index))
        if watched:
            self.loop.add_reader(self.fd(index), partial(self._receive, index))
        return watched

    def _receive(self, index: int) -> None:
        self.received.append((index, self.pairs[index][0].recv(100)))
        if len(self.received) == self._wanted:
            self.loop.stop()


@pytest.fixture(params=[best_poller, SelectorPoller])
def road(request: pytest.FixtureRequest) -> Iterator[Road]:
    make: Callable[[], Poller] = request.param
    with closing(Road(make)) as road:
        yield road


def test_a_few_are_watched_as_all_others(road: Road) -> None:
    road.enter(*range(ENOUGH - 1))
    assert all(road.is_watched_by_the_loop(index) for index in range(ENOUGH - 1))
    assert road.loop.waiting_timers == 0
    road.say(0, b"x")
    assert road.until_received(1) == [(0, b"x")]


def test_all_who_are_enough_are_called_at_a_look(road: Road) -> None:
    road.enter(*range(ENOUGH))
    assert not any(road.is_watched_by_the_loop(index) for index in range(ENOUGH))
    for index in range(ENOUGH):
        road.say(index, b"first")
    assert road.until_received(ENOUGH) == [(index, b"first") for index in range(ENOUGH)]
    road.say(1, b"again")
    road.pairs[2][1].close()  # its end is something to receive as well
    assert road.until_received(2) == [(1, b"again"), (2, b"")]


def test_who_is_not_in_it_is_called_as_ever(road: Road) -> None:
    road.enter(*range(ENOUGH))
    road.say(ENOUGH, b"prompt")
    assert road.until_received(1) == [(ENOUGH, b"prompt")]


def test_who_leaves_is_watched_by_the_loop_again(road: Road) -> None:
    road.enter(*range(ENOUGH))
    road.say(0, b"sent before")
    road.lane.leave(road.fd(0))
    assert road.is_watched_by_the_loop(0)
    assert not road.is_watched_by_the_loop(1)
    assert road.until_received(1) == [(0, b"sent before")]


def test_too_few_leave_it_together_and_may_come_back(road: Road) -> None:
    road.enter(*range(ENOUGH))
    for index in range(ENOUGH // 2 + 1):
        road.lane.leave(road.fd(index))
    assert all(road.is_watched_by_the_loop(index) for index in range(ENOUGH))
    road.enter(*range(ENOUGH // 2 + 1))
    assert not any(road.is_watched_by_the_loop(index) for index in range(ENOUGH))
    road.say(0, b"x")
    road.say(ENOUGH - 1, b"y")
    assert road.until_received(2) == [(0, b"x"), (ENOUGH - 1, b"y")]


def test_one_reader_that_fails_takes_no_other_with_it(road: Road) -> None:
    def fail() -> None:
        road.pairs[0][0].recv(100)
        raise ValueError("as a test wants")

    road.enter(*range(1, ENOUGH))
    road.lane.enter(road.fd(0), fail)
    for index in range(ENOUGH):
        road.say(index, b"x")
    assert road.until_received(ENOUGH - 1) == [(index, b"x") for index in range(1, ENOUGH)]
    road.say(1, b"y")
    assert road.until_received(1) == [(1, b"y")]


def test_who_left_during_a_look_is_not_called_by_it(road: Road) -> None:
    called: list[int] = []

    def only_me(me: int) -> None:
        called.append(me)
        for index in range(ENOUGH):
            road.lane.leave(road.fd(index))
            road.loop.remove_reader(road.fd(index))
        road.loop.call_later(0.001, road.loop.stop)

    for index in range(ENOUGH):
        road.lane.enter(road.fd(index), partial(only_me, index))
        road.say(index, b"x")
    road.loop.run()
    assert len(called) == 1
