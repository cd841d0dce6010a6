"""Those that leave at the end of a turn: each once it is over, and whatever becomes of the others."""

from collections.abc import Callable
from functools import partial

import pytest

from barnabas.runtime.connections.departures import LEAST_SECONDS, TURN_SECONDS, Departures
from tests.unit.runtime.manual_timers import ManualTimers


class Leaving:
    def __init__(self, leave: Callable[[], None]) -> None:
        self.leave = leave


def test_all_leave_in_order_when_the_turn_is_over() -> None:
    timers, left = ManualTimers(), list[int]()
    departures = Departures(timers, lambda: timers.now)
    for number in range(3):
        departures.add(Leaving(lambda number=number: left.append(number)))  # type: ignore[misc]
    assert len(timers.next) == 1
    assert not left
    timers.run_soon()
    assert left == [0, 1, 2]


def test_one_that_fails_does_not_keep_the_others() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    timers, left = ManualTimers(), list[int]()
    departures = Departures(timers, lambda: timers.now)
    departures.add(Leaving(fail))
    departures.add(Leaving(lambda: left.append(1)))
    with pytest.raises(ZeroDivisionError):
        timers.run_soon()
    timers.run_soon()
    assert left == [1]


def test_a_turn_has_its_time_and_whoever_comes_late_a_share_of_it() -> None:
    timers = ManualTimers()
    departures = Departures(timers, lambda: timers.now)
    assert departures.until(timers.now) == TURN_SECONDS
    timers.advance(0.25 * TURN_SECONDS)
    assert departures.until(timers.now) == TURN_SECONDS
    timers.advance(2 * TURN_SECONDS)
    assert departures.until(timers.now) == timers.now + LEAST_SECONDS
    timers.run_turn()
    assert departures.until(timers.now) == timers.now + TURN_SECONDS


def test_what_is_left_over_has_its_time_in_each_turn_and_all_have_their_turn() -> None:
    timers, done = ManualTimers(), list[int]()
    departures = Departures(timers, lambda: timers.now)

    def work(number: int) -> None:
        timers.advance(0.4 * TURN_SECONDS)
        done.append(number)
        if len(done) < 10:
            departures.later(partial(work, number))

    for number in range(5):
        departures.later(partial(work, number))
    timers.run_turn()
    assert done == [0, 1, 2]
    timers.run_turn()
    assert done == [0, 1, 2, 3, 4, 0]
    timers.run_soon()
    assert len(done) == 14
    assert sorted(done[-5:]) == [0, 1, 2, 3, 4]


def test_one_left_over_that_fails_does_not_keep_the_others() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    timers, done = ManualTimers(), list[int]()
    departures = Departures(timers, lambda: timers.now)
    departures.later(fail)
    departures.later(lambda: done.append(1))
    with pytest.raises(ZeroDivisionError):
        timers.run_soon()
    timers.run_soon()
    assert done == [1]
