"""Floating: requests of one connection whose replies wait and may overtake each other."""

from collections.abc import Callable
from functools import partial

from barnabas.broker.purgatory import Pending
from barnabas.dialects.dialect import Request


class Floating:
    """At most `most` of them; the next one has to wait by itself."""

    __slots__ = ("_most", "_new", "_reply", "_waiting")

    def __init__(self, most: int, reply: Callable[[Request, object], None]) -> None:
        """`reply` is called with each request and its outcome, when that is there."""
        self._most = most
        self._reply = reply
        self._new: list[tuple[Request, Pending]] = []
        self._waiting: set[Pending] = set()

    def take(self, request: Request, pending: Pending) -> bool:
        """Let a request wait from `start` on; False if there are too many."""
        if len(self._new) + len(self._waiting) >= self._most:
            return False
        self._new.append((request, pending))
        return True

    def start(self) -> None:
        """What came before the new ones has its reply: they may have theirs."""
        new, self._new = self._new, []
        for request, pending in new:
            self._waiting.add(pending)
            pending.on_done(partial(self._on_done, request, pending))

    def _on_done(self, request: Request, pending: Pending, outcome: object) -> None:
        self._waiting.discard(pending)
        self._reply(request, outcome)

    def give_up(self) -> None:
        """Nobody waits any more."""
        waiting = [*self._waiting, *(pending for _, pending in self._new)]
        self._waiting.clear()
        self._new.clear()
        for pending in waiting:
            pending.give_up()
