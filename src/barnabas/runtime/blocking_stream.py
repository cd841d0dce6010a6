"""BlockingStream: a connection for a thread that has nothing else to do: send, receive, wait."""

import select
import socket
from collections.abc import Sequence
from contextlib import suppress

from barnabas.errors import ConnectionFailed, ConnectionRefused, HostUnknown, RequestTimeout
from barnabas.runtime.unknown_names import why_unresolved
from barnabas.types import Buffer

_MOST_BUFFERS = 512


class BlockingStream:
    """One TCP connection. A call that fails leaves it unusable: close it and make another."""

    def __init__(self, host: str, port: int, *, connect_s: float, timeout_s: float) -> None:
        """Connect; later calls wait `timeout_s` for the other side to go on.

        Raises:
            ConnectionFailed: nobody is there.
        """
        self._place = f"{host}:{port}"
        self._timeout_s = timeout_s
        try:
            self._socket = socket.create_connection((host, port), connect_s)
        except socket.gaierror as error:
            why = why_unresolved(host, error)
            raise HostUnknown(f"cannot connect to {self._place}: {why}") from error
        except ConnectionRefusedError as error:
            raise ConnectionRefused(f"cannot connect to {self._place}: {error}") from error
        except OSError as error:
            raise ConnectionFailed(f"cannot connect to {self._place}: {error}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(timeout_s)

    def send(self, buffers: Sequence[Buffer]) -> None:
        """Send all of it.

        Raises:
            ConnectionFailed: the connection broke; how much arrived is not known.
            RequestTimeout: the other side takes nothing.
        """
        try:
            for first in range(0, len(buffers), _MOST_BUFFERS):
                part = buffers[first : first + _MOST_BUFFERS]
                sent = self._socket.sendmsg(part)
                if sent < sum(map(len, part)):
                    self._socket.sendall(memoryview(b"".join(part))[sent:])
        except OSError as error:
            raise self._failed(error) from error

    def send_some(self, data: Buffer) -> int:
        """Send the beginning, as much as there is room for; how many bytes that was.

        Raises:
            ConnectionFailed, RequestTimeout: as `send`.
        """
        try:
            return self._socket.send(data)
        except OSError as error:
            raise self._failed(error) from error

    def receive(self, count: int) -> bytearray:
        """Exactly that many bytes.

        Raises:
            ConnectionFailed: the connection broke, or ended before.
            RequestTimeout: nothing comes.
        """
        found = bytearray(count)
        view, position = memoryview(found), 0
        try:
            while position < count:
                received = self._socket.recv_into(view[position:])
                if not received:
                    raise ConnectionFailed(f"{self._place} closed the connection")
                position += received
        except OSError as error:
            raise self._failed(error) from error
        return found

    def has_ended(self) -> bool:
        """Whether the other side closed it, as far as is known; for one that owes no answer."""
        self._socket.settimeout(0)
        try:
            return not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self._socket.settimeout(self._timeout_s)

    def ready(self, seconds: float) -> bool:
        """Whether something can be received by then, or the other side has closed it.

        Another thread may send meanwhile.

        Raises:
            ConnectionFailed: it was closed.
        """
        return bool(self._poll(select.POLLIN, seconds))

    def ready_to_send(self, seconds: float, *, or_receive: bool) -> tuple[bool, bool]:
        """Whether by then something can be sent, or also received: that, or it has ended.

        Raises:
            ConnectionFailed: it was closed.
        """
        found = self._poll(select.POLLOUT | select.POLLIN * or_receive, seconds)
        return bool(found & ~select.POLLIN), bool(found & select.POLLIN)

    def close(self) -> None:
        """Close it, also for a thread that waits for it; a second call does nothing."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            self._socket.close()

    def _poll(self, events: int, seconds: float) -> int:
        """What of it there is."""
        poll = select.poll()
        try:
            poll.register(self._socket, events)
        except ValueError as error:
            raise ConnectionFailed(f"the connection to {self._place} was closed") from error
        return sum(found for _, found in poll.poll(1000 * seconds))

    def _failed(self, error: OSError) -> ConnectionFailed | RequestTimeout:
        if isinstance(error, TimeoutError):
            return RequestTimeout(f"{self._place} does not answer")
        return ConnectionFailed(f"connection to {self._place} broke: {error}")
