"""Replies that wait: for a key, for a deadline, or in vain."""

from collections.abc import Hashable
from itertools import pairwise

import pytest

from barnabas.broker.purgatory.delayed_fetch import DelayedFetch, FetchCompletion
from barnabas.broker.purgatory.pending import Pending, reply_of
from barnabas.broker.purgatory.purgatory import Purgatory
from tests.unit.broker.some_memory import some_memory
from tests.unit.runtime.manual_timers import ManualTimers


def saying(answers: list[str]) -> FetchCompletion:
    """What answers with a word."""

    def finish(*, must: bool) -> bool:
        answers.append("answered")
        return True

    return finish


def parked(purgatory: Purgatory, missing: int, keys: list[Hashable], seconds: float) -> list[str]:
    """A fetch that waits for bytes; the list grows by a word when it is answered."""
    answers: list[str] = []
    condition = DelayedFetch(missing, saying(answers))
    purgatory.park(condition, keys, seconds, Pending())
    return answers


def test_bytes_of_any_key_are_counted_together() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: 0.0, some_memory())
    answers = parked(purgatory, 10, ["a", "b"], 1.0)
    purgatory.happened("a", 4)
    purgatory.happened("other", 100)
    assert not timers.next
    purgatory.happened("b", 6)
    purgatory.happened("b", 6)
    timers.run_soon()
    assert answers == ["answered"]


def test_what_happens_in_a_turn_is_looked_at_once_when_that_is_over() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: 0.0, some_memory())
    purgatory.happened_in_turn("a", 100)
    assert not timers.next, "nobody waits"
    some, others = (parked(purgatory, missing, ["a"], 1.0) for missing in (10, 11))
    purgatory.happened_in_turn("a", 4)
    purgatory.happened_in_turn("a", 6)
    assert (some, others) == ([], [])
    timers.run_soon()
    assert (some, others) == (["answered"], [])
    purgatory.happened_in_turn("a", 1)
    timers.run_soon()
    assert others == ["answered"]


def test_a_key_that_is_gone_ends_the_wait() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: 0.0, some_memory())
    answers = parked(purgatory, 10, ["a"], 1.0)
    purgatory.happened("a", -1)
    timers.run_soon()
    assert answers == ["answered"]


def test_the_deadline_ends_the_wait_once() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: 0.0, some_memory())
    answers = parked(purgatory, 10, ["a"], 1.0)
    timers.advance(0.5)
    assert answers == []
    timers.advance(0.5)
    purgatory.happened("a", 100)
    timers.run_soon()
    assert answers == ["answered"]


def test_who_gives_up_is_not_answered() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: 0.0, some_memory())
    answers: list[str] = []
    condition = DelayedFetch(1, saying(answers))
    pending = Pending()
    purgatory.park(condition, ["a"], 1.0, pending)
    pending.give_up()
    purgatory.happened("a", 5)
    timers.advance(2)
    timers.run_soon()
    assert answers == []


def test_who_gives_up_when_the_reply_is_due_is_not_answered() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: 0.0, some_memory())
    answers: list[str] = []
    pending = Pending()
    purgatory.park(DelayedFetch(1, saying(answers)), ["a"], 1.0, pending)
    timers.advance(1)
    pending.give_up()
    timers.run_soon()
    assert answers == []


def test_who_makes_it_happen_waits_for_nobody_and_thousands_are_answered_in_steps() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: timers.now, some_memory())
    answers: list[float] = []

    def answer(*, must: bool) -> bool:
        timers.now += 0.001
        answers.append(timers.now)
        return True

    for _ in range(1000):
        purgatory.park(DelayedFetch(1, answer), ["a"], 60.0, Pending())
    purgatory.happened("a", 1)
    assert 0 < len(answers) < 10
    served: list[int] = []

    def serve_another() -> None:
        served.append(len(answers))
        if len(answers) < 1000:
            timers.soon(serve_another)

    timers.soon(serve_another)
    timers.run_soon()
    assert len(answers) == 1000
    between = [later - earlier for earlier, later in pairwise(served)]
    assert max(between) < 10, "an answer takes a millisecond here"


def test_one_that_fails_is_no_matter_of_the_others(caplog: pytest.LogCaptureFixture) -> None:
    def fail(*, must: bool) -> bool:
        raise ValueError("a bug")

    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: 0.0, some_memory())
    received: list[object] = []
    pending = Pending()
    pending.on_done(received.append)
    purgatory.park(DelayedFetch(1, fail), ["a"], 1.0, pending)
    answers = parked(purgatory, 1, ["a"], 1.0)
    purgatory.happened("a", 1)
    timers.run_soon()
    assert answers == ["answered"]
    assert "a bug" in caplog.text
    with pytest.raises(ValueError, match="a bug"):
        reply_of(received[0])


def test_what_arrived_may_not_be_enough_and_then_it_waits_on() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers, lambda: 0.0, some_memory())
    found = [False, False, True]
    asked: list[bool] = []

    def finish(*, must: bool) -> bool:
        asked.append(must)
        return found[len(asked) - 1]

    purgatory.park(DelayedFetch(1, finish), ["a"], 1.0, Pending())
    for _ in range(5):
        purgatory.happened("a", 1)
        timers.run_soon()
    assert asked == [False, False, False]
    purgatory.park(DelayedFetch(9, finish), ["a"], 1.0, Pending())
    found.append(True)
    timers.advance(1)
    timers.run_soon()
    assert asked == [False, False, False, True]


def test_a_stop_answers_everybody() -> None:
    purgatory = Purgatory(ManualTimers(), lambda: 0.0, some_memory())
    one, other = parked(purgatory, 9, ["a", "b"], 1.0), parked(purgatory, 9, ["b"], 1.0)
    purgatory.finish_all()
    assert (one, other) == (["answered"], ["answered"])


def test_a_reply_is_given_once_whichever_comes_first() -> None:
    seen: list[object] = []
    early, late = Pending(), Pending()
    early.complete("first")
    early.complete("second")
    early.on_done(seen.append)
    late.on_done(seen.append)
    late.complete("third")
    assert seen == ["first", "third"]


def test_nobody_hears_of_a_reply_that_was_given_up() -> None:
    seen: list[object] = []
    received: list[str] = []
    pending = Pending()
    pending.on_done(seen.append)
    pending.on_given_up(lambda: received.append("gone"))
    pending.give_up()
    pending.complete("late")
    pending.give_up()
    assert (seen, received) == ([], ["gone"])


@pytest.mark.parametrize("given_up_when", ["before", "after"])
def test_who_gives_up_gives_up_what_the_reply_waits_for(given_up_when: str) -> None:
    given_up: list[str] = []
    pending, inner = Pending(), Pending()
    inner.on_given_up(lambda: given_up.append("inner"))
    if given_up_when == "before":
        pending.give_up()
    pending.go_on(lambda: inner)
    pending.give_up()
    assert given_up == ["inner"]


def test_those_that_have_waited_longest_are_answered_early_where_the_memory_is_full() -> None:
    timers, memory = ManualTimers(), some_memory(20_000)
    purgatory = Purgatory(timers, lambda: timers.now, memory)
    answers = [parked(purgatory, 9, ["a"], 60.0) for _ in range(50)]
    timers.run_soon()
    early = answers.index([])
    assert 0 < early < 50
    assert answers[:early] == [["answered"]] * early
    assert not any(answers[early:])
    assert 0 < memory.passing_bytes <= 20_000
    purgatory.finish_all()
    assert memory.passing_bytes == 0


def test_a_request_that_is_given_up_gives_its_bytes_back() -> None:
    memory, pending = some_memory(), Pending()
    purgatory = Purgatory(ManualTimers(), lambda: 0.0, memory)
    purgatory.park(DelayedFetch(1, saying([])), ["a", "b"], 1.0, pending)
    assert memory.passing_bytes > 0
    pending.give_up()
    assert memory.passing_bytes == 0


def test_what_a_fetch_names_is_charged() -> None:
    """A thousand long polls of the proposal for 3,000 topics each took three times what was charged."""
    memory = some_memory()
    purgatory = Purgatory(ManualTimers(), lambda: 0.0, memory)
    pending = Pending()
    purgatory.park(DelayedFetch(1, saying([])), ["a"], 1.0, pending, topics=3000)
    assert memory.passing_bytes >= 3000 * 500
    pending.give_up()
    assert memory.passing_bytes == 0
