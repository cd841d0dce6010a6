from collections.abc import Callable
from itertools import count as counter

import pytest

from barnabas.broker.purgatory.purgatory import Pending, Purgatory, reply_of, there
from barnabas.broker.purgatory.stepping import SLICE_SECONDS, Stepping, Steps, each
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.runtime.clock import SystemClock
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers


def count(done: list[int]) -> Steps[str]:
    for number in range(3):
        done.append(number)
        yield
    return "over"


def stepping(timers: ManualTimers, monotonic: Callable[[], float] | None = None) -> Stepping:
    """A slice is one step, by a clock that says a second more each time."""
    replicas = ReplicaManager(SystemClock(), Purgatory(timers, lambda: 0.0, some_memory()))
    return Stepping(replicas.write, timers, monotonic or counter().__next__)


def test_what_fits_into_a_slice_is_done_at_once() -> None:
    timers = ManualTimers()
    assert stepping(timers, lambda: 0.0).run(count([])) == "over"
    assert not timers.next


def test_a_slice_is_as_long_as_it_says() -> None:
    done: list[int] = []
    times = iter([0.0, SLICE_SECONDS / 2, SLICE_SECONDS, 1.0, 1.0, 1.0])
    timers = ManualTimers()
    pending = stepping(timers, lambda: next(times)).run(count(done))
    assert done == [0, 1]
    assert isinstance(pending, Pending)
    timers.run_turn()
    assert pending.outcome == "over"
    assert done == [0, 1, 2]


@pytest.mark.parametrize(("ends_unheard", "made"), [(False, [0, 1, 2]), (True, [0, 1])])
def test_steps_whose_reply_nobody_waits_for(*, ends_unheard: bool, made: list[int]) -> None:
    timers, done = ManualTimers(), list[int]()
    pending = stepping(timers).run(count(done), ends_unheard=ends_unheard)
    assert isinstance(pending, Pending)
    timers.next.pop(0)()
    pending.give_up()
    timers.run_soon()
    assert done == made


def test_a_step_that_fails_is_told_to_who_waits(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> Steps[None]:
        yield
        raise ValueError("a step")

    timers = ManualTimers()
    pending = stepping(timers).run(fail())
    assert isinstance(pending, Pending)
    timers.run_soon()
    with pytest.raises(ValueError, match="a step"):
        reply_of(pending.outcome)
    assert "waiting reply failed" in caplog.text


def test_a_turn_makes_one_step_of_one_piece_of_work_and_then_of_the_other() -> None:
    timers, first, second = ManualTimers(), list[int](), list[int]()
    both = stepping(timers)
    both.run(count(first))
    both.run(count(second))
    for turn in range(1, 5):
        (step,) = timers.next
        timers.next.clear()
        step()
        assert (len(first), len(second)) == (1 + (turn + 1) // 2, 1 + turn // 2)


def test_a_reply_may_be_one_that_is_not_there_yet() -> None:
    def wait_for(other: Pending) -> Steps[Pending]:
        yield
        return other

    for at_once in (True, False):
        timers, other = ManualTimers(), Pending()
        outer = stepping(timers, (lambda: 0.0) if at_once else None).run(wait_for(other))
        timers.run_soon()
        assert isinstance(outer, Pending)
        assert not outer.is_done
        other.complete("over")
        assert outer.outcome == "over"


def test_what_is_there_already_is_not_waited_for() -> None:
    def use(*found: Pending) -> Steps[list[object]]:
        given: list[object] = []
        for one in found:
            outcome = yield one
            given.append(outcome)
        return given

    timers = ManualTimers()
    assert stepping(timers, lambda: 0.0).run(use(there(1), there(2))) == [1, 2]
    late = Pending()
    outcome = stepping(timers, lambda: 0.0).run(use(there(1), late, there(3)))
    late.complete(2)
    timers.run_soon()
    assert isinstance(outcome, Pending)
    assert outcome.outcome == [1, 2, 3]


def test_what_is_waited_for_and_fails_is_raised_in_the_step() -> None:
    def use(found: Pending) -> Steps[str]:
        try:
            yield found
        except ValueError as error:
            return str(error)
        return "nothing"

    for at_once in (True, False):
        timers, found = ManualTimers(), Pending()
        if at_once:
            found.fail(ValueError("it failed"))
        outcome = stepping(timers, lambda: 0.0).run(use(found))
        found.fail(ValueError("it failed"))
        timers.run_soon()
        assert (outcome.outcome if isinstance(outcome, Pending) else outcome) == "it failed"


def test_work_that_comes_up_in_a_step_waits_for_its_turn() -> None:
    timers, done = ManualTimers(), list[int]()
    all_work = stepping(timers)

    def begin_more() -> Steps[object]:
        yield
        return all_work.run(count(done))

    outer = all_work.run(begin_more())
    assert isinstance(outer, Pending)
    timers.next.pop(0)()
    assert done == [0]
    assert not outer.is_done
    timers.run_soon()
    assert outer.outcome == "over"


def test_each_makes_a_step_of_each_and_one_of_nothing() -> None:
    def all_of(steps: Steps[list[int]]) -> tuple[int, list[int]]:
        for number in counter():
            try:
                next(steps)
            except StopIteration as end:
                return number, end.value
        raise AssertionError("it ends")

    assert all_of(each([1, 2], lambda one: 2 * one)) == (3, [2, 4])
    assert all_of(each([], lambda one: 2 * one)) == (1, [])
