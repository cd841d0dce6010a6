"""LoopTimers: the Timers port over an event loop's own heap of deadlines."""

import asyncio
from collections.abc import Callable


class LoopTimers:
    """Deadlines on the loop's thread."""

    __slots__ = ("_loop",)

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def after(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call once, `seconds` from now."""
        return self._loop.call_later(seconds, callback)

    def soon(self, callback: Callable[[], None]) -> None:
        """Call once, after the callbacks of the present event."""
        self._loop.call_soon(callback)
