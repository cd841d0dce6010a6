from collections.abc import Iterator

import pytest

from barnabas.broker.purgatory import reply_of
from barnabas.broker.stepping import in_steps
from tests.unit.runtime.manual_timers import ManualTimers


def count(done: list[int]) -> Iterator[None]:
    for number in range(3):
        done.append(number)
        yield


@pytest.mark.parametrize(("ends_unheard", "made"), [(False, [0, 1, 2]), (True, [0])])
def test_steps_whose_reply_nobody_waits_for(*, ends_unheard: bool, made: list[int]) -> None:
    timers, done = ManualTimers(), list[int]()
    pending = in_steps(timers, count(done), lambda: None, ends_unheard=ends_unheard)
    timers.next.pop(0)()
    pending.give_up()
    timers.run_soon()
    assert done == made


def test_a_step_that_fails_is_told_to_who_waits(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> Iterator[None]:
        yield
        raise ValueError("a step")

    timers = ManualTimers()
    pending = in_steps(timers, fail(), lambda: None)
    timers.run_soon()
    with pytest.raises(ValueError, match="a step"):
        reply_of(pending.outcome)
    assert "waiting reply failed" in caplog.text
