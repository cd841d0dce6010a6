"""Jobs that come back: after one that fails, and after the last step of one that has steps."""

from collections.abc import Iterator

from barnabas.broker.server.background import Background
from tests.unit.runtime.manual_timers import ManualTimers


def test_a_job_comes_back_though_it_failed() -> None:
    timers, runs = ManualTimers(), []

    def fails() -> None:
        runs.append(timers.now)
        raise ValueError("once more")

    Background(timers).every(5, "fails", fails)
    for _ in range(2):
        timers.advance(5)
    assert runs == [5, 10]


def test_each_turn_of_the_loop_makes_one_step() -> None:
    timers, made = ManualTimers(), []

    def steps() -> Iterator[None]:
        for number in range(3):
            made.append(number)
            yield

    Background(timers).every(5, "steps", steps)
    timers.advance(5)
    assert made == [0]
    timers.advance(5)
    assert made == [0]
    timers.run_soon()
    assert made == [0, 1, 2]
    timers.advance(5)
    assert made == [0, 1, 2, 0]


def test_a_job_for_once_has_steps_and_does_not_come_back() -> None:
    timers, made = ManualTimers(), []

    def steps() -> Iterator[None]:
        made.append("first")
        yield
        made.append("last")

    Background(timers).once("steps", steps)
    timers.advance(0)
    assert made == ["first"]
    timers.run_soon()
    timers.advance(5)
    assert made == ["first", "last"]


def test_who_stops_it_between_two_steps_hears_no_more_of_it() -> None:
    timers, made = ManualTimers(), []

    def steps() -> Iterator[None]:
        for number in range(3):
            made.append(number)
            yield

    background = Background(timers)
    background.every(5, "steps", steps)
    timers.advance(5)
    background.stop()
    timers.run_soon()
    timers.advance(5)
    assert made == [0]
