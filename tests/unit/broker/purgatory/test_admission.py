from collections.abc import Callable

from barnabas.broker.purgatory.admission import Admission
from tests.unit.runtime.manual_timers import ManualTimers

SIZE = 1000


def nobody() -> None:
    """For requests that never wait."""


def test_one_is_always_let_in_and_others_when_it_has_ended() -> None:
    timers, called = ManualTimers(), list[str]()
    admission = Admission(SIZE, timers.soon, lambda: timers.now)
    assert admission.admit(10 * SIZE, nobody)
    kept = admission.keep()
    admission.handled()
    timers.run_turn()

    def again() -> None:
        called.append("again")

    assert not admission.admit(1, again)
    assert not admission.admit(1, again)
    timers.run_turn()
    assert not called
    admission.give_back(kept)
    assert called == ["again"]
    assert admission.admit(1, again)


def test_what_is_done_when_its_handler_returns_keeps_others_out_for_a_turn_if_it_was_long() -> None:
    """20 requests of 100,000 rules, on as many connections, once held up all others for 5 s."""
    timers, served = ManualTimers(), list[str]()
    admission = Admission(SIZE, timers.soon, lambda: timers.now)

    def asker(name: str) -> Callable[[], None]:
        def ask() -> None:
            if admission.admit(SIZE, ask):
                served.append(name)
                timers.now += 0.006
                admission.handled()

        return ask

    for name in "abcde":
        asker(name)()
    for expected in ("ab", "abcd", "abcde"):
        assert served == [*expected]
        timers.run_turn()


def test_the_next_request_ends_the_one_before_it() -> None:
    timers = ManualTimers()
    admission = Admission(SIZE, timers.soon, lambda: timers.now)
    assert admission.admit(SIZE, nobody)
    timers.run_turn()
    assert admission.admit(SIZE, nobody)


def test_small_ones_are_let_in_together() -> None:
    timers = ManualTimers()
    admission = Admission(480 * SIZE, timers.soon, lambda: timers.now)
    kept = []
    while admission.admit(SIZE, nobody):
        kept.append(admission.keep())
    assert len(kept) == 10
    timers.run_turn()
    assert not admission.admit(SIZE, nobody)
    admission.give_back(kept.pop())
    assert admission.admit(SIZE, nobody)


def test_who_has_gone_is_not_called() -> None:
    timers, called = ManualTimers(), list[int]()
    admission = Admission(SIZE, timers.soon, lambda: timers.now)
    assert admission.admit(SIZE, nobody)
    kept = admission.keep()

    def call() -> None:
        called.append(1)

    assert not admission.admit(SIZE, call)
    admission.forget(call)
    admission.give_back(kept)
    timers.run_turn()
    assert not called
