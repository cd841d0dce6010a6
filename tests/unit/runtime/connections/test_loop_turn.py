"""A turn of the loop has a time limit, and what it leaves over is done, even if other work raises."""

from functools import partial

import pytest

from barnabas.runtime.connections.loop_turn import LEAST_SECONDS, TURN_SECONDS, LoopTurn
from tests.unit.runtime.manual_timers import ManualTimers


def test_a_turn_has_its_time_and_whoever_comes_late_a_share_of_it() -> None:
    timers = ManualTimers()
    turn = LoopTurn(timers, lambda: timers.now)
    assert turn.until(timers.now) == TURN_SECONDS
    timers.advance(0.25 * TURN_SECONDS)
    assert turn.until(timers.now) == TURN_SECONDS
    timers.advance(2 * TURN_SECONDS)
    assert turn.until(timers.now) == timers.now + LEAST_SECONDS
    timers.run_turn()
    assert turn.until(timers.now) == timers.now + TURN_SECONDS


def test_what_is_left_over_has_its_time_in_each_turn_and_all_have_their_turn() -> None:
    timers, done = ManualTimers(), list[int]()
    turn = LoopTurn(timers, lambda: timers.now)

    def work(number: int) -> None:
        timers.advance(0.4 * TURN_SECONDS)
        done.append(number)
        if len(done) < 10:
            turn.later(partial(work, number))

    for number in range(5):
        turn.later(partial(work, number))
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
    turn = LoopTurn(timers, lambda: timers.now)
    turn.later(fail)
    turn.later(lambda: done.append(1))
    with pytest.raises(ZeroDivisionError):
        timers.run_soon()
    timers.run_soon()
    assert done == [1]
