"""Purgatory: requests that wait for an event of one of their keys, or for a deadline.

If a request fails, only its own connection ends. The request that triggered it and all others continue.
"""

import logging
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Protocol

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.purgatory.pending import Pending
from barnabas.ports import Timer, Timers

log = logging.getLogger(__name__)

_STEP_SECONDS = 0.002
"""How long replies are made one after the other before other clients are served."""
_WAITING_BYTES, _KEY_BYTES, _TOPIC_BYTES = 1000, 260, 500
"""Estimated memory of a waiting request, of each of its keys with what a fetch keeps to read it again, and
of each topic that a fetch names."""


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
            return  # Its connection was closed meanwhile.
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
