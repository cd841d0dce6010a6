"""LoopTurn: one turn of the loop: its time limit, and the work that is left for the next."""

from collections import deque
from collections.abc import Callable

from barnabas.ports import Timers

SMALL_BYTES = 64 * 1024
"""Larger replies are sent at once: waiting for others would save nothing and hold memory."""

TURN_SECONDS = 0.02
"""After this time, connections leave most of the waiting work to a later turn."""
LEAST_SECONDS = 0.001
"""The least time for each connection in any turn: small requests are cheaper together."""


class LoopTurn:
    """The turn of a loop: at its end, all connections send their small replies. For one thread.

    `present`: the connection whose event is handled now, if any. Replies of other connections wait
    meanwhile until the turn ends.
    """

    __slots__ = ("_ends_at", "_left_over", "monotonic", "present", "soon")

    def __init__(self, timers: Timers, monotonic: Callable[[], float]) -> None:
        """`monotonic` is the clock by which turns are measured, in seconds."""
        self._left_over: deque[Callable[[], None]] = deque()
        self._ends_at: float | None = None
        self.monotonic = monotonic
        self.present: object | None = None
        self.soon: Callable[[Callable[[], None]], object] = timers.soon
        """Call once, after the callbacks of the present event."""

    def until(self, began: float) -> float:
        """When an event that began at `began` should end, even if more frames wait."""
        if self._ends_at is None:
            self._ends_at = began + TURN_SECONDS
            self.soon(self._end_turn)
        return max(self._ends_at, began + LEAST_SECONDS)

    def _end_turn(self) -> None:
        self._ends_at = None

    def later(self, callback: Callable[[], None]) -> None:
        """Call once, for what an event has left over: after the present one, as soon as a turn has time."""
        if not self._left_over:
            self.soon(self._call_later)
        self._left_over.append(callback)

    def _call_later(self) -> None:
        waiting, until = self._left_over, self.monotonic() + TURN_SECONDS
        try:
            # Each is still among them meanwhile: what it adds has its turn behind all others.
            for _ in range(len(waiting)):
                try:
                    waiting[0]()
                finally:
                    waiting.popleft()
                if self.monotonic() > until:
                    break
        finally:
            if waiting:
                self.soon(self._call_later)
