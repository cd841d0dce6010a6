"""BlockingStream: a blocking connection for one thread: send, receive, wait."""

import queue
import select
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from barnabas.errors import ConnectionFailed, ConnectionRefused, HostUnknown, RequestTimeout
from barnabas.runtime.sockets.connecting import look_up, numeric
from barnabas.runtime.sockets.resolver_errors import why_unresolved
from barnabas.types import Buffer

_MOST_BUFFERS = 512
_LEAST_S = 0.001
"""A socket that may not wait at all raises BlockingIOError in place of TimeoutError."""


class BlockingStream:
    """One TCP connection. A call that fails leaves it unusable: close it and make another.

    Only `receive` may be called again after a RequestTimeout: it continues with the bytes received so far.
    """

    def __init__(self, host: str, port: int, *, connect_s: float, timeout_s: float) -> None:
        """Connect, looking up the name included; later calls last up to `timeout_s` each.

        Raises:
            ConnectionFailed: nothing listens there.
        """
        self._place = f"{host}:{port}"
        self._timeout_s = timeout_s
        self._part, self._position = bytearray(), 0
        self.received_at = monotonic()
        try:
            self._socket = _connected(host, port, monotonic() + connect_s)
        except socket.gaierror as error:
            why = why_unresolved(host, error)
            raise HostUnknown(f"cannot connect to {self._place}: {why}") from error
        except ConnectionRefusedError as error:
            raise ConnectionRefused(f"cannot connect to {self._place}: {error.strerror}") from error
        except OSError as error:
            why = error.strerror or str(error)
            raise ConnectionFailed(f"cannot connect to {self._place}: {why}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(timeout_s)

    def send(self, buffers: Sequence[Buffer], until: float | None = None) -> None:
        """Send all of it; `until` is in monotonic seconds.

        Raises:
            ConnectionFailed: the connection broke; how much arrived is not known.
            RequestTimeout: the other side does not take all of it in time.
        """
        until = self._until(until)
        try:
            for first in range(0, len(buffers), _MOST_BUFFERS):
                part = buffers[first : first + _MOST_BUFFERS]
                self._wait_at_most(until)
                sent = self._socket.sendmsg(part)
                if sent < sum(map(len, part)):
                    self._wait_at_most(until)
                    self._socket.sendall(memoryview(b"".join(part))[sent:])
        except OSError as error:
            raise self._failed(error) from error

    def send_some(self, data: Buffer) -> int:
        """Send the beginning, as much as there is room for; how many bytes that was.

        Raises:
            ConnectionFailed, RequestTimeout: as `send`.
        """
        try:
            self._socket.settimeout(self._timeout_s)
            return self._socket.send(data)
        except OSError as error:
            raise self._failed(error) from error

    def receive(self, count: int, until: float | None = None) -> bytearray:
        """Exactly that many bytes; `until` is in monotonic seconds.

        After a RequestTimeout what has come is kept for a call with the same `count`. `received_at`:
        when something came last.

        Raises:
            ConnectionFailed: the connection broke, or ended before.
            RequestTimeout: not all of it comes in time.
        """
        until = self._until(until)
        if len(self._part) != count:
            self._part, self._position = bytearray(count), 0
        view = memoryview(self._part)
        try:
            while self._position < count:
                self._wait_at_most(until)
                received = self._socket.recv_into(view[self._position :])
                if not received:
                    raise ConnectionFailed(f"{self._place} closed the connection")
                self._position += received
                self.received_at = monotonic()
        except OSError as error:
            raise self._failed(error) from error
        found, self._part = self._part, bytearray()
        return found

    def has_ended(self) -> bool:
        """Whether the peer is known to have closed it; only for a connection without a pending response."""
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
        """Whether bytes can be sent by then, and whether bytes or the end of the stream can be received.

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
        """Those of `events` that are ready, and errors."""
        poll = select.poll()
        try:
            poll.register(self._socket, events)
        except ValueError as error:
            raise ConnectionFailed(f"the connection to {self._place} was closed") from error
        return sum(found for _, found in poll.poll(1000 * seconds))

    def _until(self, until: float | None) -> float:
        return monotonic() + self._timeout_s if until is None else until

    def _wait_at_most(self, until: float) -> None:
        """Let the next call of the socket last no longer; where time is over, let it not wait."""
        self._socket.settimeout(max(_LEAST_S, until - monotonic()))

    def _failed(self, error: OSError) -> ConnectionFailed | RequestTimeout:
        if isinstance(error, TimeoutError):
            return RequestTimeout(f"{self._place} does not answer")
        return ConnectionFailed(f"connection to {self._place} broke: {error}")


def _connected(host: str, port: int, until: float) -> socket.socket:
    """A connection to the first address of a host that takes one."""
    failed: OSError = OSError("it has no address")
    for family, address in _looked_up(host, port, until):
        made = socket.socket(family, socket.SOCK_STREAM)
        made.settimeout(max(_LEAST_S, until - monotonic()))
        try:
            made.connect(address)
        except OSError as error:
            made.close()
            failed = error
        else:
            return made
    raise failed


def _looked_up(host: str, port: int, until: float) -> list[tuple[int, Any]]:
    """The addresses of a host. Looking it up cannot be given up, so it has a thread of its own."""
    known = numeric(host, port)
    if known is not None:
        return known
    found: queue.SimpleQueue[list[tuple[int, Any]] | OSError] = queue.SimpleQueue()
    looking = threading.Thread(
        target=lambda: found.put(look_up(host, port)), name="barnabas-names", daemon=True
    )
    looking.start()
    try:
        rows = found.get(timeout=max(_LEAST_S, until - monotonic()))
    except queue.Empty:
        raise TimeoutError(f"looking up {host} takes too long") from None
    if isinstance(rows, OSError):
        raise rows
    return rows
