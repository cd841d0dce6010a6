"""Connecting: one attempt to connect to a host, address by address. Sets no deadline."""

import errno
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from barnabas.errors import ConnectionFailed, ConnectionRefused, HostUnknown
from barnabas.ports import Channel
from barnabas.runtime.loops.event_source import EventSource
from barnabas.runtime.sockets.channel import SocketChannel
from barnabas.runtime.sockets.resolver_errors import why_unresolved

_IN_PROGRESS = frozenset({0, errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EINTR})

_Addresses = list[tuple[int, Any]]


class Connecting:
    """Tries the addresses of a host in turn; tells the outcome once, always from the loop."""

    def __init__(
        self,
        loop: EventSource,
        host: str,
        port: int,
        on_done: Callable[[Channel | Exception], None],
        buffers: tuple[int, int] = (-1, -1),
    ) -> None:
        self._loop = loop
        self._buffers = buffers
        self._host, self._target = host, f"{host}:{port}"
        self._on_done: Callable[[Channel | Exception], None] | None = on_done
        self._addresses: _Addresses = []
        self._socket: socket.socket | None = None
        self._last_error: OSError | None = None
        known = numeric(host, port)
        if known is not None:
            self._addresses = known
            loop.call_soon(self._next)
        else:
            # Looking up a name blocks, so it has a thread of its own.
            looking = threading.Thread(
                target=self._look_up, args=(host, port), name="barnabas-names", daemon=True
            )
            try:
                looking.start()
            except RuntimeError:
                # There are no new threads, as while a program ends: then the loop stands still.
                loop.call_soon(partial(self._on_looked_up, look_up(host, port)))

    def cancel(self) -> None:
        """Give up; `on_done` will not be called any more."""
        self._on_done = None
        self._drop()

    def _look_up(self, host: str, port: int) -> None:
        found = look_up(host, port)
        # On a loop that was closed meanwhile nothing waits for the result.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(partial(self._on_looked_up, found))

    def _on_looked_up(self, found: _Addresses | OSError) -> None:
        if isinstance(found, OSError):
            self._last_error = found
        else:
            self._addresses = found
        self._next()

    def _next(self) -> None:
        while self._on_done is not None:
            if not self._addresses:
                self._finish(self._failure())
                return
            family, address = self._addresses.pop(0)
            try:
                self._socket = socket.socket(family, socket.SOCK_STREAM)
            except OSError as error:
                self._last_error = error
                continue
            self._socket.settimeout(0)
            # Before connecting: the window that TCP offers at the start follows from them.
            for option, size in zip(
                (socket.SO_SNDBUF, socket.SO_RCVBUF), self._buffers, strict=True
            ):
                if size >= 0:
                    self._socket.setsockopt(socket.SOL_SOCKET, option, size)
            try:
                code = self._socket.connect_ex(address)
            except OverflowError:  # A broker may name a port that is none.
                code = errno.EADDRNOTAVAIL
            if code in _IN_PROGRESS:
                self._loop.add_writer(self._socket.fileno(), self._on_writable)
                return
            self._fail(code)

    def _on_writable(self) -> None:
        assert self._socket is not None
        self._loop.remove_writer(self._socket.fileno())
        code = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self._fail(code)
            self._next()
            return
        connected, self._socket = self._socket, None
        try:
            channel = SocketChannel(self._loop, connected)
        except OSError as error:
            self._last_error = error
            connected.close()
            self._next()
            return
        self._finish(channel)

    def _failure(self) -> ConnectionFailed:
        error = self._last_error
        what = f"cannot connect to {self._target}: "
        if isinstance(error, socket.gaierror):
            return HostUnknown(what + why_unresolved(self._host, error))
        if isinstance(error, ConnectionRefusedError):
            return ConnectionRefused(f"{what}{error.strerror}")
        why = (error.strerror or error) if error else "it has no address"
        return ConnectionFailed(f"{what}{why}")

    def _fail(self, code: int) -> None:
        self._last_error = OSError(code, os.strerror(code))
        self._drop()

    def _drop(self) -> None:
        if self._socket is not None:
            self._loop.remove_writer(self._socket.fileno())
            self._socket.close()
            self._socket = None

    def _finish(self, outcome: Channel | Exception) -> None:
        on_done, self._on_done = self._on_done, None
        if on_done is not None:
            on_done(outcome)


def numeric(host: str, port: int) -> _Addresses | None:
    """The address that a host is, where it is no name."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
        except (OSError, ValueError):
            continue
        return [(family, (host, port))]
    return None


def look_up(host: str, port: int) -> _Addresses | OSError:
    """The addresses of a host, or why there are none; may take any time."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        return error
    except UnicodeError as error:
        return socket.gaierror(socket.EAI_NONAME, str(error))
    return [(row[0], row[4]) for row in found]
