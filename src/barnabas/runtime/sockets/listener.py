"""SocketListener: an open port, on every address of its host name."""

import contextlib
import errno
import logging
import socket
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from barnabas.errors import ConnectionFailed
from barnabas.ports import Channel
from barnabas.runtime.connections.batched_polling import BatchedPolling
from barnabas.runtime.descriptors import advice, first_reserved
from barnabas.runtime.loops.event_source import EventSource
from barnabas.runtime.sockets.channel import SocketChannel

log = logging.getLogger(__name__)

_ACCEPTS_PER_EVENT = 64
_NO_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_PAUSE_SECONDS = 0.5


class SocketOptions(NamedTuple):
    """Options for listening and accepted sockets. Buffers in bytes.

    -1 leaves a buffer to the system, which adapts it to each connection.
    """

    backlog: int = 1024
    send_buffer: int = -1
    receive_buffer: int = -1


class SocketListener:
    """Listening sockets that share one port."""

    def __init__(
        self,
        loop: EventSource,
        sockets: list[socket.socket],
        on_accept: Callable[[Channel], None],
        lane: BatchedPolling | None = None,
    ) -> None:
        """`lane` is for channels whose readers may be late."""
        self._loop = loop
        self._lane = lane
        self._sockets = sockets
        self._on_accept = on_accept
        self._first_reserved = first_reserved()
        name = sockets[0].getsockname()
        self._address = (name[0], name[1])
        for listening in sockets:
            self._watch(listening)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port as bound (the port is never 0)."""
        return self._address

    def close(self) -> None:
        """Stop accepting; existing connections stay open."""
        for listening in self._sockets:
            self._loop.remove_reader(listening.fileno())
            listening.close()
        self._sockets = []

    def _watch(self, listening: socket.socket) -> None:
        # After a pause the listener may have been closed meanwhile.
        if listening.fileno() >= 0:
            self._loop.add_reader(listening.fileno(), partial(self._accept, listening))

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(_ACCEPTS_PER_EVENT):
            try:
                accepted, _address = listening.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if error.errno in _NO_RESOURCES:
                    self._pause(listening, error)
                    return
                # The peer left between its SYN and our accept: nothing to serve.
                log.info("accept failed", extra={"address": self._address, "error": error})
                continue
            if accepted.fileno() >= self._first_reserved:
                # Log files need the remaining descriptors, or no client can be served.
                accepted.close()
                self._pause(listening, OSError(errno.EMFILE, advice()))
                return
            try:
                channel = SocketChannel(self._loop, accepted, self._lane)
            except OSError as error:
                log.info("accepted a dead socket", extra={"error": error})
                accepted.close()
                continue
            self._on_accept(channel)

    def _pause(self, listening: socket.socket, error: OSError) -> None:
        # The waiting connection keeps the socket readable, so accepting on would spin.
        log.error(
            "cannot accept connections for now",
            extra={"address": self._address, "error": error, "again_in_s": _PAUSE_SECONDS},
        )
        self._loop.remove_reader(listening.fileno())
        self._loop.call_later(_PAUSE_SECONDS, partial(self._watch, listening))


_SYSTEM_OPTIONS = SocketOptions()


def open_port(
    host: str, port: int, options: SocketOptions = _SYSTEM_OPTIONS
) -> list[socket.socket]:
    """Listening sockets for a host; "" is every address of the machine, IPv4 and IPv6.

    A name that stands for several addresses (localhost) is opened on all of them with one port.

    Raises:
        ConnectionFailed: the address cannot be had.
    """
    sockets: list[socket.socket] = []
    try:
        for family, address in _addresses(host):
            chosen = sockets[0].getsockname()[1] if sockets else port
            try:
                sockets.append(_listen_on(family, address, chosen, options))
            except OSError as error:
                # A machine without IPv6 still resolves names to it.
                if error.errno in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT} and sockets:
                    continue
                raise
    except OSError as error:
        for listening in sockets:
            with contextlib.suppress(OSError):
                listening.close()
        why = error.strerror or error
        raise ConnectionFailed(f"cannot listen on {host or '*'}:{port}: {why}") from error
    return sockets


def _addresses(host: str) -> list[tuple[int, str]]:
    if not host:
        if socket.has_dualstack_ipv6():
            return [(socket.AF_INET6, "::")]
        return [(socket.AF_INET, "0.0.0.0")]  # noqa: S104  (requested by an empty host, as in Kafka)
    # A name of ASCII is its own encoding; for a str all of IDNA would be imported.
    name = host.encode() if host.isascii() else host
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    # IPv4 first: its address is the one that is advertised when nothing else was configured.
    found.sort(key=lambda row: row[0] != socket.AF_INET)
    return list(dict.fromkeys((row[0], str(row[4][0])) for row in found))


def _listen_on(family: int, address: str, port: int, options: SocketOptions) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            both = address == "::" and socket.has_dualstack_ipv6()
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0 if both else 1)
        # Accepted sockets inherit both; set later, a receive buffer could not widen the window.
        if options.send_buffer >= 0:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, options.send_buffer)
        if options.receive_buffer >= 0:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, options.receive_buffer)
        listening.settimeout(0)
        listening.bind((address, port))
        listening.listen(options.backlog)
    except OSError:
        listening.close()
        raise
    return listening
