"""Connections, and the event loop's timers."""

from collections.abc import Callable, Sequence
from typing import Protocol

from barnabas.ports.disk import File
from barnabas.types import Buffer


class Listener(Protocol):
    """An open port."""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port as bound (the port is never 0)."""
        ...

    def close(self) -> None:
        """Stop accepting; open connections stay open."""
        ...


class Channel(Protocol):
    """One non-blocking byte stream. All calls and callbacks happen on one thread."""

    @property
    def peer(self) -> str:
        """`host:port` of the peer, for logs and quotas."""
        ...

    def receive_into(self, target: memoryview) -> int:
        """Receive bytes; returns their number, 0: the end, -1: none now. Raises ConnectionFailed."""
        ...

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        """Send buffers in order; returns the number of bytes accepted, which may be 0.

        `more` says that more bytes follow at once, so that no small packet is sent alone. Raises
        ConnectionFailed if the connection broke.
        """
        ...

    def send_one(self, data: Buffer) -> int:
        """Like `send`, for one buffer."""
        ...

    def send_file(self, file: File, position: int, count: int) -> int:
        """Send as much of a file region as possible; returns the bytes accepted, maybe 0."""
        ...

    def on_readable(self, callback: Callable[[], None] | None, *, late: bool = False) -> None:
        """Call when bytes (or the end) can be received; `late`: up to 100 ms late. None pauses."""
        ...

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        """Call whenever bytes can be sent; None stops."""
        ...

    def end_sending(self) -> None:
        """Close the sending direction; the peer's bytes can still be received."""
        ...

    def close(self) -> None:
        """Close at once; callbacks stop; a second call does nothing."""
        ...


class Network(Protocol):
    """Opens ports and connections."""

    def listen(self, host: str, port: int, on_accept: Callable[[Channel], None]) -> Listener:
        """Open a port (0: any free one); raises ConnectionFailed, which names what is not available."""
        ...

    def connect(
        self,
        host: str,
        port: int,
        on_done: Callable[[Channel | Exception], None],
        *,
        buffers: tuple[int, int] = (-1, -1),
    ) -> Callable[[], None]:
        """Start to connect; `on_done` is called once. Returns a function that cancels.

        `buffers` are the socket's send and receive buffers, in bytes; -1 is the system's default.
        """
        ...


class Timer(Protocol):
    """A deadline that can be cancelled."""

    def cancel(self) -> None:
        """Never fire; fine if it has fired."""
        ...


class Timers(Protocol):
    """Deadlines on the thread of the event loop."""

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call once, `seconds` from now."""
        ...

    def soon(self, callback: Callable[[], None], /) -> None:
        """Call once, after the callbacks of the current event."""
        ...
