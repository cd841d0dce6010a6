"""CuttableNetwork: the connections that a broker opens to others, which a test can cut."""

from collections.abc import Callable, Sequence
from functools import partial

from barnabas.errors import ConnectionFailed
from barnabas.ports import Channel, File, Listener, Network, Timers
from barnabas.types import Buffer

OnConnected = Callable[[Channel | Exception], None]


class CuttableNetwork:
    """The Network port of one broker; all calls are on its loop.

    Connections between brokers are cut where they were opened, so that those of clients stay.
    """

    def __init__(self, inner: Network, timers: Timers, is_cut: Callable[[int], bool]) -> None:
        """`is_cut`: whether nothing reaches a port from here now."""
        self._inner = inner
        self._timers = timers
        self._is_cut = is_cut
        self._links: set[_Link] = set()

    def listen(self, host: str, port: int, on_accept: Callable[[Channel], None]) -> Listener:
        """As `Network.listen`."""
        return self._inner.listen(host, port, on_accept)

    def connect(
        self,
        host: str,
        port: int,
        on_done: OnConnected,
        *,
        buffers: tuple[int, int] = (-1, -1),
    ) -> Callable[[], None]:
        """As `Network.connect`; fails where the link is cut, also meanwhile."""
        return self._inner.connect(
            host, port, partial(self._on_connected, port, on_done), buffers=buffers
        )

    def break_links(self) -> None:
        """End the connections to ports that are not reached now; who reads from them gets an error."""
        for link in [one for one in self._links if self._is_cut(one.port)]:
            link.end()

    def _on_connected(self, port: int, on_done: OnConnected, found: Channel | Exception) -> None:
        if isinstance(found, Exception):
            on_done(found)
        elif self._is_cut(port):
            found.close()
            on_done(ConnectionFailed("the link is cut"))
        else:
            link = _Link(found, port, self._timers, self._links.discard)
            self._links.add(link)
            on_done(link)


class _Link:
    """A Channel that may end at any time; `on_closed` is called when it is closed."""

    def __init__(
        self, inner: Channel, port: int, timers: Timers, on_closed: "Callable[[_Link], None]"
    ) -> None:
        self.port = port
        self._inner = inner
        self._timers = timers
        self._on_closed = on_closed
        self._on_readable: Callable[[], None] | None = None
        self._is_cut = False

    @property
    def peer(self) -> str:
        return self._inner.peer

    def end(self) -> None:
        """Cut it."""
        self._is_cut = True
        self._inner.close()
        self._timers.soon(self._report)

    def receive_into(self, target: memoryview) -> int:
        self._check()
        return self._inner.receive_into(target)

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        self._check()
        return self._inner.send(buffers, more=more)

    def send_one(self, data: Buffer) -> int:
        self._check()
        return self._inner.send_one(data)

    def send_file(self, file: File, position: int, count: int) -> int:
        self._check()
        return self._inner.send_file(file, position, count)

    def on_readable(self, callback: Callable[[], None] | None, *, late: bool = False) -> None:
        self._on_readable = callback
        if not self._is_cut:
            self._inner.on_readable(callback, late=late)

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        if not self._is_cut:
            self._inner.on_writable(callback)

    def end_sending(self) -> None:
        if not self._is_cut:
            self._inner.end_sending()

    def close(self) -> None:
        self._on_readable = None
        self._inner.close()
        self._on_closed(self)

    def _report(self) -> None:
        if self._on_readable is not None:
            self._on_readable()

    def _check(self) -> None:
        if self._is_cut:
            raise ConnectionFailed("the link is cut")
