"""SocketChannel: one non-blocking TCP socket behind the Channel port. Knows nothing of frames."""

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress

from barnabas.errors import ConnectionFailed, StorageError
from barnabas.kernels.connections.sockets import receive, send
from barnabas.ports import File
from barnabas.runtime.connections.batched_polling import BatchedPolling
from barnabas.runtime.loops.event_source import EventSource
from barnabas.types import Buffer, bracketed

_IOV_MAX = 1024
_SMALL = 256 * 1024
"""Bytes: up to here no other thread gets to run while the system copies them."""
_MSG_MORE = getattr(socket, "MSG_MORE", 0)


class SocketChannel:
    """One connected socket, driven by the readiness callbacks of an event loop."""

    __slots__ = ("_fd", "_is_slow", "_lane", "_loop", "_peer", "_reading", "_socket", "_writing")

    def __init__(
        self, loop: EventSource, connected: socket.socket, lane: BatchedPolling | None = None
    ) -> None:
        """Without a lane it is always called as soon as something can be received."""
        connected.settimeout(0)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connected
        self._fd = connected.fileno()
        self._loop = loop
        self._lane = lane
        self._peer = _name_of_peer(connected)
        self._reading = False
        self._is_slow = False
        self._writing = False

    @property
    def peer(self) -> str:
        """`host:port` of the other side."""
        return self._peer

    def receive_into(self, target: memoryview) -> int:
        """Bytes received; 0 is the end of the stream, -1 means nothing is there now.

        Raises:
            ConnectionFailed: the stream broke.
        """
        try:
            if len(target) <= _SMALL:
                return receive(self._fd, target)
            return self._socket.recv_into(target)
        except (BlockingIOError, InterruptedError):
            return -1
        except OSError as error:
            raise ConnectionFailed(f"receiving from {self._peer}: {error}") from error

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        """Send what fits now of the buffers in order; `more` says that more follows at once.

        Raises:
            ConnectionFailed: the stream broke.
        """
        if len(buffers) == 1 and not more:
            return self.send_one(buffers[0])
        try:
            return self._socket.sendmsg(buffers[:_IOV_MAX], (), _MSG_MORE if more else 0)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            raise ConnectionFailed(f"sending to {self._peer}: {error}") from error

    def send_one(self, data: Buffer) -> int:
        """Send what fits now of one buffer. Raises as `send`."""
        try:
            return send(self._fd, data) if len(data) <= _SMALL else self._socket.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            raise ConnectionFailed(f"sending to {self._peer}: {error}") from error

    def send_file(self, file: File, position: int, count: int) -> int:
        """Send what fits now of a file region.

        Raises:
            ConnectionFailed: the stream broke.
            StorageError: the file ends before the region does; somebody truncated it.
        """
        try:
            sent = os.sendfile(self._fd, file.fileno(), position, count)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            raise ConnectionFailed(f"sending to {self._peer}: {error}") from error
        if sent == 0 and count > 0:
            raise StorageError(f"{file.path} ends before {position + count}, though it was longer")
        return sent

    def on_readable(self, callback: Callable[[], None] | None, *, late: bool = False) -> None:
        """Call whenever bytes (or the end) can be received; None pauses."""
        if self._is_slow and self._lane is not None:
            self._lane.leave(self._fd)
            self._is_slow = False
        if callback is not None:
            self._loop.add_reader(self._fd, callback)
            self._reading = True
            if late and self._lane is not None:
                self._lane.enter(self._fd, callback)
                self._is_slow = True
        elif self._reading:
            self._loop.remove_reader(self._fd)
            self._reading = False

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        """Call whenever bytes can be sent; None stops."""
        if callback is not None:
            self._loop.add_writer(self._fd, callback)
            self._writing = True
        elif self._writing:
            self._loop.remove_writer(self._fd)
            self._writing = False

    def end_sending(self) -> None:
        """Send the end of the stream to the peer; its bytes can still be received."""
        # The next receive reports a broken stream.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close at once; callbacks stop; a second call does nothing."""
        self.on_readable(None)
        self.on_writable(None)
        self._fd = -1  # Another's, before long.
        self._socket.close()


def _name_of_peer(connected: socket.socket) -> str:
    try:
        name = connected.getpeername()
    except OSError:
        return "a peer that left"
    return f"{bracketed(name[0])}:{name[1]}"
