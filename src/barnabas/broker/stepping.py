"""Stepping: long work in steps on the loop, so that others are served between them."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeVar

from barnabas.broker.purgatory import Pending
from barnabas.broker.replicas import ReplicaManager
from barnabas.ports import Timers

Reply = TypeVar("Reply")

_MOST_AT_ONCE = 64


class Stepping:
    """Each turn of the loop makes one step of all the long work of a broker: of each piece by turns.

    What a step queues to be written is written after it.
    """

    __slots__ = ("_replicas", "_timers", "_waiting")

    def __init__(self, replicas: ReplicaManager, timers: Timers) -> None:
        self._replicas = replicas
        self._timers = timers
        self._waiting: deque[Callable[[], None]] = deque()

    def reply_if_long(
        self, partitions: int, steps: Iterator[object], respond: Callable[[], Reply]
    ) -> Reply | Pending:
        """As `reply`; few partitions are no long work: all steps are made at once."""
        if partitions > _MOST_AT_ONCE:
            return self.reply(steps, respond)
        for _ in steps:
            pass
        return respond()

    def reply(
        self, steps: Iterator[object], respond: Callable[[], object], *, ends_unheard: bool = False
    ) -> Pending:
        """What `respond` gives when all steps are made, be it a reply that is not there yet.

        They go on if nobody waits for the reply any more, unless `ends_unheard`. An error is for who
        waits.
        """
        pending = Pending()

        def turn() -> object:
            for _ in steps:
                self._soon(step)
                return pending
            return respond()

        def step() -> None:
            if not (ends_unheard and pending.is_done):
                pending.go_on(turn)

        self._soon(step)
        return pending

    def begin(self, partitions: int, steps: Iterator[object]) -> None:
        """Make the first step now, and the others as `reply` does; of few partitions all now."""
        for _ in steps:
            if partitions > _MOST_AT_ONCE:
                self.reply(steps, lambda: None)
                return

    def _soon(self, step: Callable[[], None]) -> None:
        if not self._waiting:
            self._timers.soon(self._turn)
        self._waiting.append(step)

    def _turn(self) -> None:
        try:
            # It is still among them meanwhile, so that what it adds begins no turns of its own.
            self._waiting[0]()
        finally:
            self._waiting.popleft()
            if self._waiting:
                self._timers.soon(self._turn)
            self._replicas.write()
