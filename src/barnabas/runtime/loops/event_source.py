"""EventSource: what sockets, listeners and timers need of their loop.

asyncio's loops have it, for the driver inside somebody's program, and so has the broker's PollLoop.
"""

from collections.abc import Callable
from typing import Protocol

from barnabas.ports import Timer


class EventSource(Protocol):
    """Callbacks when descriptors are ready and when time has passed; all on one thread."""

    def add_reader(self, fd: int, callback: Callable[[], object], /) -> None:
        """Call whenever `fd` can be read, in place of what was called before."""
        ...

    def remove_reader(self, fd: int, /) -> bool:
        """Stop that; whether there was anything to stop."""
        ...

    def add_writer(self, fd: int, callback: Callable[[], object], /) -> None:
        """Call whenever `fd` can be written, in place of what was called before."""
        ...

    def remove_writer(self, fd: int, /) -> bool:
        """Stop that; whether there was anything to stop."""
        ...

    def call_soon(self, callback: Callable[[], object], /) -> object:
        """Call once, after the callbacks of the present events."""
        ...

    def call_later(self, delay: float, callback: Callable[[], object], /) -> Timer:
        """Call once, `delay` seconds from now."""
        ...

    def call_soon_threadsafe(self, callback: Callable[[], object], /) -> object:
        """As `call_soon`, from any thread.

        Raises:
            RuntimeError: the loop is closed.
        """
        ...
