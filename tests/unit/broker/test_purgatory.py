"""Replies that wait: for a key, for a deadline, for nobody."""

from collections.abc import Hashable

import pytest

from barnabas.broker.delayed_fetch import DelayedFetch
from barnabas.broker.purgatory import Pending, Purgatory, reply_of
from tests.unit.runtime.manual_timers import ManualTimers


def parked(purgatory: Purgatory, missing: int, keys: list[Hashable], seconds: float) -> list[str]:
    """A fetch that waits for bytes; the list grows by a word when it is answered."""
    answers: list[str] = []
    condition = DelayedFetch(missing, lambda: answers.append("answered"))
    purgatory.park(condition, keys, seconds, Pending())
    return answers


def test_bytes_of_any_key_are_counted_together() -> None:
    purgatory = Purgatory(ManualTimers())
    answers = parked(purgatory, 10, ["a", "b"], 1.0)
    purgatory.happened("a", 4)
    purgatory.happened("other", 100)
    assert answers == []
    purgatory.happened("b", 6)
    purgatory.happened("b", 6)
    assert answers == ["answered"]


def test_a_key_that_is_gone_ends_the_wait() -> None:
    purgatory = Purgatory(ManualTimers())
    answers = parked(purgatory, 10, ["a"], 1.0)
    purgatory.happened("a", -1)
    assert answers == ["answered"]


def test_the_deadline_ends_the_wait_once() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers)
    answers = parked(purgatory, 10, ["a"], 1.0)
    timers.advance(0.5)
    assert answers == []
    timers.advance(0.5)
    purgatory.happened("a", 100)
    assert answers == ["answered"]


def test_who_gives_up_is_not_answered() -> None:
    timers = ManualTimers()
    purgatory = Purgatory(timers)
    answers: list[str] = []
    condition = DelayedFetch(1, lambda: answers.append("answered"))
    pending = Pending()
    purgatory.park(condition, ["a"], 1.0, pending)
    pending.give_up()
    purgatory.happened("a", 5)
    timers.advance(2)
    assert answers == []


def test_one_that_fails_is_no_matter_of_the_others(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("a bug")

    purgatory = Purgatory(ManualTimers())
    told: list[object] = []
    pending = Pending()
    pending.on_done(told.append)
    purgatory.park(DelayedFetch(1, fail), ["a"], 1.0, pending)
    answers = parked(purgatory, 1, ["a"], 1.0)
    purgatory.happened("a", 1)
    assert answers == ["answered"]
    assert "a bug" in caplog.text
    with pytest.raises(ValueError, match="a bug"):
        reply_of(told[0])


def test_a_stop_answers_everybody() -> None:
    purgatory = Purgatory(ManualTimers())
    one, other = parked(purgatory, 9, ["a", "b"], 1.0), parked(purgatory, 9, ["b"], 1.0)
    purgatory.finish_all()
    assert (one, other) == (["answered"], ["answered"])


def test_a_reply_is_told_once_whichever_comes_first() -> None:
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
    told: list[str] = []
    pending = Pending()
    pending.on_done(seen.append)
    pending.on_given_up(lambda: told.append("gone"))
    pending.give_up()
    pending.complete("late")
    pending.give_up()
    assert (seen, told) == ([], ["gone"])
