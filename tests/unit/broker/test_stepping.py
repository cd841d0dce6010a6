from collections.abc import Iterator

import pytest

from barnabas.broker.purgatory import Purgatory, reply_of
from barnabas.broker.replicas import ReplicaManager
from barnabas.broker.stepping import Stepping
from barnabas.runtime.clock import SystemClock
from tests.unit.runtime.manual_timers import ManualTimers


def count(done: list[int]) -> Iterator[None]:
    for number in range(3):
        done.append(number)
        yield


def stepping(timers: ManualTimers) -> Stepping:
    return Stepping(ReplicaManager(SystemClock(), Purgatory(timers, lambda: 0.0)), timers)


@pytest.mark.parametrize(("ends_unheard", "made"), [(False, [0, 1, 2]), (True, [0])])
def test_steps_whose_reply_nobody_waits_for(*, ends_unheard: bool, made: list[int]) -> None:
    timers, done = ManualTimers(), list[int]()
    pending = stepping(timers).reply(count(done), lambda: None, ends_unheard=ends_unheard)
    timers.next.pop(0)()
    pending.give_up()
    timers.run_soon()
    assert done == made


def test_a_step_that_fails_is_told_to_who_waits(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> Iterator[None]:
        yield
        raise ValueError("a step")

    timers = ManualTimers()
    pending = stepping(timers).reply(fail(), lambda: None)
    timers.run_soon()
    with pytest.raises(ValueError, match="a step"):
        reply_of(pending.outcome)
    assert "waiting reply failed" in caplog.text


def test_a_turn_makes_one_step_of_one_piece_of_work_and_then_of_the_other() -> None:
    timers, first, second = ManualTimers(), list[int](), list[int]()
    both = stepping(timers)
    both.reply(count(first), lambda: None)
    both.reply(count(second), lambda: None)
    for turn in range(1, 7):
        (step,) = timers.next
        timers.next.clear()
        step()
        assert (len(first), len(second)) == ((turn + 1) // 2, turn // 2)


def test_work_that_comes_up_in_a_step_waits_for_its_turn() -> None:
    timers, done = ManualTimers(), list[int]()
    all_work = stepping(timers)
    outer = all_work.reply(iter(()), lambda: all_work.reply(count(done), lambda: "over"))
    timers.next.pop(0)()
    assert not done
    assert not outer.is_done
    timers.run_soon()
    assert outer.outcome == "over"
    again = all_work.reply(iter(()), lambda: "again")
    timers.run_soon()
    assert again.outcome == "again"
