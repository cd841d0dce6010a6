"""UnorderedReplies: the requests of one connection whose responses may overtake each other."""

from collections.abc import Callable

from barnabas.broker.purgatory.pending import Pending
from barnabas.ports import Timers

Then = Callable[[object], None]


class UnorderedReplies:
    """At most `most` of them; the next one has to wait by itself."""

    __slots__ = ("_held", "_most", "_new", "_waiting")

    def __init__(self, most: int) -> None:
        self._most = most
        self._new: list[tuple[Pending, Then]] = []
        self._waiting: set[Pending] = set()
        self._held: dict[Pending, object] = {}

    @property
    def has_new(self) -> bool:
        """Whether some wait for `start`."""
        return bool(self._new)

    def take(self, pending: Pending, then: Then) -> bool:
        """Let a request wait from `start` on, and call with its outcome; False if there are too many."""
        if len(self._new) + len(self._waiting) + len(self._held) >= self._most:
            return False
        self._new.append((pending, then))
        return True

    def start(self) -> None:
        """What came before the new ones has its reply: they may have theirs."""
        new, self._new = self._new, []
        for pending, then in new:
            self._waiting.add(pending)
            pending.on_done(self._end_of(pending, then))

    def hold(self, reply: object, then: Then, timers: Timers, seconds: float) -> None:
        """Keep back a reply for so long, or until `let_go`."""
        pending = Pending()
        self._held[pending] = reply
        pending.on_done(self._end_of(pending, then))
        timer = timers.after(seconds, lambda: pending.complete(reply))
        pending.on_given_up(timer.cancel)

    def let_go(self) -> None:
        """Give the replies that are kept back, now."""
        for pending, reply in list(self._held.items()):
            pending.complete(reply)

    def give_up(self) -> None:
        """Nobody waits any more."""
        waiting = [*self._waiting, *self._held, *(pending for pending, _ in self._new)]
        self._waiting.clear()
        self._held.clear()
        self._new.clear()
        for pending in waiting:
            pending.give_up()

    def _end_of(self, pending: Pending, then: Then) -> Then:
        def end(outcome: object) -> None:
            self._waiting.discard(pending)
            self._held.pop(pending, None)
            then(outcome)

        return end
