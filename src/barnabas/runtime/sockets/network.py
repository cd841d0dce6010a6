"""LoopNetwork: the Network port over an event loop's readiness callbacks and raw sockets."""

from collections.abc import Callable

from barnabas.ports import Channel
from barnabas.runtime.connections.batched_polling import BatchedPolling
from barnabas.runtime.loops.event_source import EventSource
from barnabas.runtime.sockets.connecting import Connecting
from barnabas.runtime.sockets.listener import SocketListener, SocketOptions, open_port


class LoopNetwork:
    """Sockets of one event loop; no transports, no streams, no coroutine per request."""

    __slots__ = ("_lane", "_loop", "_options")

    def __init__(self, loop: EventSource, options: SocketOptions | None = None) -> None:
        """`options` are for the ports that it opens."""
        self._loop = loop
        self._options = options or SocketOptions()
        self._lane = BatchedPolling(loop)

    def listen(self, host: str, port: int, on_accept: Callable[[Channel], None]) -> SocketListener:
        """Open a port (0: any free one); host "" means every address of the machine.

        Raises:
            ConnectionFailed: the address cannot be had; the message names it.
        """
        sockets = open_port(host, port, self._options)
        return SocketListener(self._loop, sockets, on_accept, self._lane)

    def connect(
        self,
        host: str,
        port: int,
        on_done: Callable[[Channel | Exception], None],
        *,
        buffers: tuple[int, int] = (-1, -1),
    ) -> Callable[[], None]:
        """Begin to connect; `on_done` is called once, later. Returns a function that gives up.

        `buffers` are the socket's for sending and receiving, in bytes; -1 leaves it to the system.
        """
        return Connecting(self._loop, host, port, on_done, buffers).cancel
