"""LoopTimers: the Timers port over an event loop's own heap of deadlines."""

from collections.abc import Callable
from typing import cast

from barnabas.ports import Timer
from barnabas.runtime.loops.event_source import EventSource

Soon = Callable[[Callable[[], None]], None]


class LoopTimers:
    """Deadlines on the loop's thread. `soon` is the loop's own method, as each request calls it."""

    __slots__ = ("_loop", "soon")

    def __init__(self, loop: EventSource) -> None:
        self._loop = loop
        self.soon = cast("Soon", loop.call_soon)
        """Call once, after the callbacks of the present event."""

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call once, `seconds` from now."""
        return self._loop.call_later(seconds, callback)
