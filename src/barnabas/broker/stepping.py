"""Long work in steps on the loop, so that others are served between them."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from barnabas.broker.purgatory import Pending
from barnabas.ports import Timers

Reply = TypeVar("Reply")

_MOST_AT_ONCE = 64


def in_steps(
    timers: Timers, partitions: int, steps: Iterator[object], respond: Callable[[], Reply]
) -> Reply | Pending:
    """A reply that is there when all steps are made, of which each turn of the loop makes one.

    Few partitions are no long work: all steps are made at once. They raise nothing, and go on if
    nobody waits for the reply any more.
    """
    if partitions <= _MOST_AT_ONCE:
        for _ in steps:
            pass
        return respond()
    pending = Pending()

    def step() -> None:
        for _ in steps:
            timers.soon(step)
            return
        pending.complete(respond())

    timers.soon(step)
    return pending
