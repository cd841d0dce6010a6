"""Departures: connections whose replies leave together, when the loop's turn is over."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from barnabas.kernels.departing import Sender
from barnabas.ports import Timers
from barnabas.runtime.outbox import Outbox

_send = Sender(Outbox).send


class Departing(Protocol):
    """Who has something to send: the outbox of a connection."""

    def leave(self) -> None:
        """Send what fits now. What fails is a matter of this one alone."""
        ...


class Departures:
    """Of all connections of a loop. For one thread.

    `present`: whose event is handled now, if anybody's. Who gets something to send meanwhile need not
    send it at once: the turn is not over.
    """

    __slots__ = ("_leaving", "present", "soon")

    def __init__(self, timers: Timers) -> None:
        self._leaving: list[Departing] = []
        self.present: object | None = None
        self.soon: Callable[[Callable[[], None]], None] = timers.soon
        """Call once, after the callbacks of the present event."""

    def add(self, one: Departing) -> None:
        """Have one leave at the end of the turn; more than once is fine."""
        leaving = self._leaving
        if not leaving:
            self.soon(self._leave)
        leaving.append(one)

    def _leave(self) -> None:
        leaving, self._leaving = self._leaving, []
        try:
            left = _send(leaving)
        except Exception:
            # What fails in one is no matter of the others.
            self.soon(partial(self._let_go, iter(leaving)))
            raise
        self._let_go(iter(left))

    def _let_go(self, leaving: Iterator[Departing]) -> None:
        all_gone = False
        try:
            for one in leaving:
                one.leave()
            all_gone = True
        finally:
            if not all_gone:
                # What fails in one is no matter of the others.
                self.soon(partial(self._let_go, leaving))
