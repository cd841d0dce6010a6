"""LoopTimers: the Timers port over an event loop's own heap of deadlines."""

from collections.abc import Callable

from barnabas.ports import Timer
from barnabas.runtime.loops.event_source import EventSource


class LoopTimers:
    """Deadlines on the loop's thread."""

    __slots__ = ("_loop",)

    def __init__(self, loop: EventSource) -> None:
        self._loop = loop

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call once, `seconds` from now."""
        return self._loop.call_later(seconds, callback)

    def soon(self, callback: Callable[[], None]) -> None:
        """Call once, after the callbacks of the present event."""
        self._loop.call_soon(callback)
