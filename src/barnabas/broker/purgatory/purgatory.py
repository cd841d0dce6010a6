"""Purgatory: requests that wait for an event of one of their keys, or for a deadline.

If a request fails, only its own connection ends. The request that triggered it and all others continue.
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
"""How long replies are made one after the other before other clients are served."""
_WAITING_BYTES, _KEY_BYTES, _TOPIC_BYTES = 1000, 260, 500
"""Estimated memory of a waiting request, of each of its keys with what a fetch keeps to read it again, and
of each topic that a fetch names."""


class Pending:
    """A response that comes later. It is delivered once, to one callback."""

    __slots__ = ("_given_up", "_on_done", "_outcome", "is_done")

    def __init__(self) -> None:
        self.is_done = False
        self._outcome: object = None
        self._on_done: Callable[[object], None] | None = None
        self._given_up: Callable[[], None] | None = None

    @property
    def outcome(self) -> object:
        """The response or the error, after completion and before delivery."""
        assert self.is_done, "it is asked for when it is there"
        return self._outcome

    def complete(self, outcome: object) -> None:
        """Set the reply; a second one is ignored."""
        if self.is_done:
            return
        self.is_done = True
        self._given_up = None
        if self._on_done is None:
            self._outcome = outcome
        else:
            self._on_done(outcome)

    def fail(self, error: Exception) -> None:
        """Set an error instead of a reply: `reply_of` raises it."""
        self.complete(error)

    def go_on(self, make: Callable[[], object]) -> None:
        """Complete with the result or error of `make`; with that of a Pending, if it returns one."""
        try:
            reply = make()
        except LocalProtocolError as error:
            # Its connection reports it when it closes. The traceback would keep replies alive.
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
        """Call `callback` with the reply: at once if it is complete, otherwise on completion."""
        if self.is_done:
            callback(self._outcome)
        else:
            self._on_done = callback

    def on_given_up(self, callback: Callable[[], None]) -> None:
        """Call `callback` when nobody waits for the reply any more."""
        self._given_up = callback

    def give_up(self) -> None:
        """Note that nobody waits for the reply any more: the connection is gone."""
        if self.is_done:
            return
        self.is_done = True
        self._on_done = None
        if self._given_up is not None:
            self._given_up()


class Unwritten(Pending):
    """A reply that completes when all queued records have been written, or could not be.

    The connection's next request need not wait for it, so both are written together.
    """

    __slots__ = ()


class Unreplicated(Pending):
    """A reply that completes when other replicas have copied the appended records.

    Later Produce requests of its connection need not wait for it, but their replies do.
    """

    __slots__ = ()

    def complete(self, outcome: object) -> None:
        """Set the reply, and keep it: its connection sends replies in order."""
        if not self.is_done:
            self._outcome = outcome
        super().complete(outcome)


class Repeatable:
    """An outcome, and the function that does the work of its request again when that is repeated."""

    __slots__ = ("outcome",)

    def __init__(self, outcome: object) -> None:
        self.outcome = outcome


class RepeatableReply(Repeatable):
    """A reply whose request may be repeated byte for byte, and the function that does its work again.

    `again()` does the work and returns True if the same reply is right again. False: nothing was done, and
    the request must be handled in the ordinary way. `is_patient`: the reply may be delayed a little.
    """

    __slots__ = ("again", "is_patient")

    def __init__(
        self, reply: object, again: Callable[[], bool], *, is_patient: bool = False
    ) -> None:
        super().__init__(reply)
        self.again = again
        self.is_patient = is_patient


def itself(outcome: object) -> object:
    """Return the outcome itself, without the function that repeats it."""
    return outcome.outcome if isinstance(outcome, Repeatable) else outcome


def there(outcome: object) -> Pending:
    """Return a Pending that is complete already."""
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
        """Note an event of a key (`amount` depends on the caller: bytes, for example).

        Returns whether the condition may be met. It is called for all that wait for the key at once, so
        anything slow belongs into `finish`.
        """
        ...

    def finish(self, *, is_late: bool) -> bool:
        """Set the reply if the condition is met, or in any case if it `is_late`; return whether it did."""
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
        """Whether it is queued to be finished."""
        self.is_late = False
        """Whether its deadline has passed."""
        self.held_bytes = _WAITING_BYTES + _KEY_BYTES * len(keys) + _TOPIC_BYTES * topics
        """Its estimated memory."""


class Purgatory:
    """Conditions by key. For one thread; a condition finishes once.

    Conditions that may be met are finished now, as long as that takes little time. If there are thousands,
    the rest waits for later turns, so that neither the triggering request nor other clients wait. If the
    memory is full, the requests that have waited longest are answered before their time.
    """

    __slots__ = (
        "_by_key", "_due", "_in_turn", "_is_easing", "_is_stepping", "_memory", "_monotonic", "_timers",
        "_waiting",
    )  # fmt: skip

    def __init__(
        self, timers: Timers, monotonic: Callable[[], float], memory: ClientMemory
    ) -> None:
        """`monotonic` is the clock that measures steps, in seconds."""
        self._timers = timers
        self._monotonic = monotonic
        self._memory = memory
        self._waiting: dict[_Parked, None] = {}
        """All waiting requests, in order of arrival."""
        self._is_easing = False
        self._by_key: dict[Hashable, dict[_Parked, None]] = {}
        self._due: deque[_Parked] = deque()
        self._in_turn: dict[Hashable, int] = {}
        """The events of this turn of the loop, by key, which are handled when the turn is over."""
        self._is_stepping = False
        """Whether due requests are being finished, now or in a later turn."""

    def park(
        self,
        condition: Condition,
        keys: Iterable[Hashable],
        seconds: float,
        pending: Pending,
        *,
        topics: int = 0,
    ) -> None:
        """Let `pending` wait for an event of one of the keys, at most `seconds`, or until it is given up.

        `topics`: how many topics the request names; they count for the memory.
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
        """Notify all that wait for `key`, and finish those whose condition is met."""
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
        """Like `happened`, but at the end of the loop's turn, once for all events of a key until then."""
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
        """Finish everything now, as if all deadlines had passed; for a stop."""
        for parked in list(self._waiting):
            parked.is_late = True
            self._finish(parked)

    def _ease(self) -> None:
        """Answer the requests that have waited longest, until the memory is below the limit."""
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
