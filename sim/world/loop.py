"""SimLoop: virtual time. Events happen one after the other at their times; nothing is ever waited for."""

import heapq
from collections.abc import Callable

_Callback = Callable[[], None]


class SimTimer:
    """One event to come; `ports.Timer`."""

    __slots__ = ("callback",)

    def __init__(self, callback: _Callback) -> None:
        self.callback: _Callback | None = callback

    def cancel(self) -> None:
        """Never happen; fine if it has."""
        self.callback = None


class SimLoop:
    """Everything of a run goes through here. Events of one moment happen in the order of asking."""

    def __init__(self) -> None:
        self._events: list[tuple[float, int, SimTimer]] = []
        self._count = 0
        self._now = 0.0

    def now(self) -> float:
        """Virtual seconds since the run began."""
        return self._now

    def after(self, seconds: float, callback: _Callback) -> SimTimer:
        """Call once, `seconds` from now."""
        timer = SimTimer(callback)
        self._count += 1
        heapq.heappush(self._events, (self._now + max(seconds, 0.0), self._count, timer))
        return timer

    def run_until(self, seconds: float, is_over: Callable[[], bool] | None = None) -> bool:
        """Let happen what comes before that time, or until `is_over`; whether it is over."""
        while self._events and self._events[0][0] <= seconds:
            when, _, timer = heapq.heappop(self._events)
            callback, timer.callback = timer.callback, None
            if callback is None:
                continue
            self._now = when
            callback()
            if is_over is not None and is_over():
                return True
        self._now = seconds
        return is_over is not None and is_over()
