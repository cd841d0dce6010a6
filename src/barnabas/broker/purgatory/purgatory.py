"""Purgatory: requests that wait for an event of one of their keys, or for a deadline.

One that fails ends the connection that waits for it: whoever made it happen, and all others, go on.
"""

import logging
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Protocol

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.errors import LocalProtocolError
from barnabas.ports import Timer, Timers

log = logging.getLogger(__name__)

_STEP_SECONDS = 0.002
"""For so long replies are made one after the other before others are served."""
_WAITING_BYTES, _KEY_BYTES, _TOPIC_BYTES = 1000, 260, 500
"""What one that waits takes, and for each of its keys, with what a fetch keeps to read it again; and for
each topic that a fetch names, with its name."""


class Pending:
    """A response that is not there yet. It is delivered once, to one callback."""

    __slots__ = ("_given_up", "_on_done", "_outcome", "is_done")

    def __init__(self) -> None:
        self.is_done = False
        self._outcome: object = None
        self._on_done: Callable[[object], None] | None = None
        self._given_up: Callable[[], None] | None = None

    @property
    def outcome(self) -> object:
        """The response, or the error; once it is done, and before it is delivered."""
        assert self.is_done, "it is asked for when it is there"
        return self._outcome

    def complete(self, outcome: object) -> None:
        """Give the reply; a second one is ignored."""
        if self.is_done:
            return
        self.is_done = True
        self._given_up = None
        if self._on_done is None:
            self._outcome = outcome
        else:
            self._on_done(outcome)

    def fail(self, error: Exception) -> None:
        """Fail with an error instead of a reply: `reply_of` raises it."""
        self.complete(error)

    def go_on(self, make: Callable[[], object]) -> None:
        """Give the reply that `make` gives, now or later, or what it raises; itself: not yet."""
        try:
            reply = make()
        except LocalProtocolError as error:
            # Its connection says so when it closes. What led to it has variables that keep replies.
            self.fail(error.with_traceback(None))
            return
        except Exception as error:
            log.exception("waiting reply failed")
            self.fail(error)
            return
        if not isinstance(reply, Pending):
            self.complete(reply)
        elif self.is_done:
            reply.give_up()
        elif reply is not self:
            self.on_given_up(reply.give_up)
            reply.on_done(self.complete)

    def on_done(self, callback: Callable[[object], None]) -> None:
        """Have `callback` called with the reply; at once if it is there."""
        if self.is_done:
            callback(self._outcome)
        else:
            self._on_done = callback

    def on_given_up(self, callback: Callable[[], None]) -> None:
        """Have `callback` called if nobody waits for the reply any more."""
        self._given_up = callback

    def give_up(self) -> None:
        """Nobody waits any more: the connection is gone."""
        if self.is_done:
            return
        self.is_done = True
        self._on_done = None
        if self._given_up is not None:
            self._given_up()


class Unwritten(Pending):
    """A reply that is there when all that is queued has been written, or could not be.

    So the next request of the connection need not wait for it, and both are written at once.
    """

    __slots__ = ()


class Unreplicated(Pending):
    """A reply that is there when other replicas have what was appended.

    Records that come behind it on its connection need not wait for that, but their replies do.
    """

    __slots__ = ()

    def complete(self, outcome: object) -> None:
        """Give the reply, and keep it: its connection sends it with those behind it."""
        if not self.is_done:
            self._outcome = outcome
        super().complete(outcome)


class Repeatable:
    """An outcome, with what does the work of its request should that come again."""

    __slots__ = ("outcome",)

    def __init__(self, outcome: object) -> None:
        self.outcome = outcome


class RepeatableReply(Repeatable):
    """A reply whose request may come again in the same words, and what does its work once more.

    `again()` returns True if the same reply is right again. False: it is not, and the request has to be
    handled, for which it is as if nothing had been done. `is_patient`: its client is in no hurry.
    """

    __slots__ = ("again", "is_patient")

    def __init__(
        self, reply: object, again: Callable[[], bool], *, is_patient: bool = False
    ) -> None:
        super().__init__(reply)
        self.again = again
        self.is_patient = is_patient


def itself(outcome: object) -> object:
    """The outcome without what is known besides."""
    return outcome.outcome if isinstance(outcome, Repeatable) else outcome


def there(outcome: object) -> Pending:
    """A reply that need not be waited for."""
    pending = Pending()
    pending.complete(outcome)
    return pending


def reply_of(outcome: object) -> object:
    """The response of a `Pending`.

    Raises:
        Exception: the error of the request.
    """
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


class Condition(Protocol):
    """What a parked reply waits for."""

    def happened(self, key: Hashable, amount: int) -> bool:
        """Something happened to a key (`amount` is the caller's, such as bytes).

        Returns whether the condition may be met. It is asked of all that wait for the key, at once:
        whatever takes longer belongs into `finish`.
        """
        ...

    def finish(self, *, is_late: bool) -> bool:
        """Give the reply if the condition is met, or in any case if it `is_late`: whether it did."""
        ...


class _Parked:
    __slots__ = ("condition", "held_bytes", "is_due", "is_late", "keys", "pending", "timer")

    def __init__(
        self, condition: Condition, keys: tuple[Hashable, ...], pending: Pending, topics: int
    ) -> None:
        self.condition = condition
        self.keys = keys
        self.pending = pending
        self.timer: Timer | None = None
        self.is_due = False
        """Whether it waits to be finished."""
        self.is_late = False
        """Whether its deadline is here."""
        self.held_bytes = _WAITING_BYTES + _KEY_BYTES * len(keys) + _TOPIC_BYTES * topics
        """What it takes of the memory."""


class Purgatory:
    """Conditions by key. For one thread; a condition finishes once.

    Those whose condition may be met are looked at now, as long as that takes little time. Where they
    are thousands, the others wait for later turns: nobody else waits for them, nor does whoever made it
    happen. Where the memory is full those that have waited longest are answered before their time.
    """

    __slots__ = (
        "_by_key", "_due", "_in_turn", "_is_easing", "_is_stepping", "_memory", "_monotonic", "_timers",
        "_waiting",
    )  # fmt: skip

    def __init__(
        self, timers: Timers, monotonic: Callable[[], float], memory: ClientMemory
    ) -> None:
        """`monotonic` is the clock by which steps are measured, in seconds."""
        self._timers = timers
        self._monotonic = monotonic
        self._memory = memory
        self._waiting: dict[_Parked, None] = {}
        """All, in the order in which they came."""
        self._is_easing = False
        self._by_key: dict[Hashable, dict[_Parked, None]] = {}
        self._due: deque[_Parked] = deque()
        self._in_turn: dict[Hashable, int] = {}
        """What has happened in this turn of the loop and is looked at when that is over."""
        self._is_stepping = False
        """Whether those that are due are looked at now, or in a later turn."""

    def park(
        self,
        condition: Condition,
        keys: Iterable[Hashable],
        seconds: float,
        pending: Pending,
        *,
        topics: int = 0,
    ) -> None:
        """Have `pending` wait for one of the keys, at most `seconds`, or until it is given up.

        `topics`: how many the request names, which is kept meanwhile.
        """
        parked = _Parked(condition, tuple(keys), pending, topics)
        self._waiting[parked] = None
        self._memory.passing_bytes += parked.held_bytes
        if self._memory.over_bytes > 0 and not self._is_easing:
            self._is_easing = True
            self._timers.soon(self._ease)
        for key in parked.keys:
            self._by_key.setdefault(key, {})[parked] = None
        parked.timer = self._timers.after(seconds, lambda: self._on_late(parked))
        pending.on_given_up(lambda: self._remove(parked))

    def happened(self, key: Hashable, amount: int = 0) -> None:
        """Notify all that wait for `key`; conditions that may be met are checked."""
        waiting = self._by_key.get(key)
        if waiting is None:
            return
        for parked in waiting:
            if parked.condition.happened(key, amount) and not parked.is_due:
                parked.is_due = True
                self._due.append(parked)
        if not self._is_stepping:
            self._step()

    def happened_in_turn(self, key: Hashable, amount: int) -> None:
        """As `happened`, when the loop's turn is over: once for all that happens to a key until then."""
        if key not in self._by_key:
            return
        if not self._in_turn:
            self._timers.soon(self._end_turn)
        self._in_turn[key] = self._in_turn.get(key, 0) + amount

    def _end_turn(self) -> None:
        happened, self._in_turn = self._in_turn, {}
        for key, amount in happened.items():
            self.happened(key, amount)

    def finish_all(self) -> None:
        """Finish everything now, as if all deadlines were here; for a stop."""
        for parked in list(self._waiting):
            parked.is_late = True
            self._finish(parked)

    def _ease(self) -> None:
        """Answer those that have waited longest, as many as it takes to be below the limit."""
        self._is_easing = False
        left = self._memory.over_bytes
        for parked in self._waiting:
            if left <= 0:
                break
            left -= parked.held_bytes
            if not parked.is_late:
                self._on_late(parked)

    def _on_late(self, parked: _Parked) -> None:
        parked.is_late = True
        if not parked.is_due:
            parked.is_due = True
            self._due.append(parked)
        if not self._is_stepping:
            # Others may have the same deadline.
            self._is_stepping = True
            self._timers.soon(self._step)

    def _step(self) -> None:
        self._is_stepping = True
        due, until = self._due, self._monotonic() + _STEP_SECONDS
        while due:
            parked = due.popleft()
            parked.is_due = False
            self._finish(parked)
            if due and self._monotonic() > until:
                self._timers.soon(self._step)
                return
        self._is_stepping = False

    def _finish(self, parked: _Parked) -> None:
        if parked.pending.is_done:
            return  # Its connection has gone meanwhile.
        try:
            if not parked.condition.finish(is_late=parked.is_late):
                return
        except Exception as error:
            log.exception("waiting reply failed", extra={"keys": parked.keys})
            parked.pending.fail(error)
        self._remove(parked)

    def _remove(self, parked: _Parked) -> None:
        if parked in self._waiting:
            del self._waiting[parked]
            self._memory.passing_bytes -= parked.held_bytes
        if parked.timer is not None:
            parked.timer.cancel()
        for key in parked.keys:
            waiting = self._by_key.get(key)
            if waiting is not None:
                waiting.pop(parked, None)
                if not waiting:
                    del self._by_key[key]
