"""Long work in steps on the loop, so that others are served between them."""

from collections.abc import Callable, Iterator

from barnabas.broker.purgatory import Pending
from barnabas.ports import Timers

MOST_AT_ONCE = 64
"""Partitions up to which making them is no long work."""


def in_steps(timers: Timers, steps: Iterator[object], respond: Callable[[], object]) -> Pending:
    """A reply that is there when all steps are made, of which each turn of the loop makes one.

    The steps go on if nobody waits for the reply any more. They raise nothing.
    """
    pending = Pending()

    def step() -> None:
        for _ in steps:
            timers.soon(step)
            return
        pending.complete(respond())

    timers.soon(step)
    return pending
