"""The handler of a connection's frames."""

from typing import Protocol

from barnabas.wire.send import Send

LARGE_BYTES = 4096
"""A frame above this may have to wait for others."""


class FrameHandler(Protocol):
    """The handler of a connection's frames."""

    def take_known(self, received: memoryview, start: int, end: int) -> int:
        """Answer the frames from `start` on that repeat earlier ones; returns where they end.

        Each frame has its size before it. The next frame is handled as any other.
        """
        ...

    def on_frame(self, frame: memoryview) -> bool:
        """Take one frame (a view that ends with the event); False: no more until `resume`.

        Raises:
            DecodeError: the connection is closed and the reason logged.
        """
        ...

    def may_take(self, frame: memoryview) -> bool:
        """Whether a frame above LARGE_BYTES may come now; if not, it comes again after `resume`."""
        ...

    def on_event_end(self) -> None:
        """All frames of a readiness event are handled; replies may be sent now."""
        ...

    def on_closed(self) -> None:
        """The connection is gone; nothing else will be called."""
        ...


class FrameObserver(Protocol):
    """Sees the frames of a connection while somebody watches it; changes nothing, and raises nothing."""

    def received(self, frame: memoryview) -> None:
        """A frame came. One that has to wait for its turn comes once more."""
        ...

    def sent(self, reply: Send | bytes) -> None:
        """Whole replies are queued."""
        ...
