"""Long work in steps on the loop, so that others are served between them."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from barnabas.broker.purgatory import Pending
from barnabas.ports import Timers

Reply = TypeVar("Reply")

_MOST_AT_ONCE = 64


def in_steps_if_long(
    timers: Timers, partitions: int, steps: Iterator[object], respond: Callable[[], Reply]
) -> Reply | Pending:
    """As `in_steps`; few partitions are no long work: all steps are made at once."""
    if partitions > _MOST_AT_ONCE:
        return in_steps(timers, steps, respond)
    for _ in steps:
        pass
    return respond()


def in_steps(
    timers: Timers,
    steps: Iterator[object],
    respond: Callable[[], object],
    *,
    ends_unheard: bool = False,
) -> Pending:
    """A reply that is there when all steps are made, of which each turn of the loop makes one.

    They go on if nobody waits for the reply any more, unless `ends_unheard`. `respond` may give a reply
    that is not there yet. An error of either is for who waits.
    """
    pending = Pending()

    def turn() -> object:
        for _ in steps:
            timers.soon(step)
            return pending
        return respond()

    def step() -> None:
        if not (ends_unheard and pending.is_done):
            pending.go_on(turn)

    timers.soon(step)
    return pending


def begin(timers: Timers, partitions: int, steps: Iterator[object]) -> None:
    """Make the first step now, and the others as `in_steps` does; of few partitions all now."""
    for _ in steps:
        if partitions > _MOST_AT_ONCE:
            in_steps(timers, steps, lambda: None)
            return
