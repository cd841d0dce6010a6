"""A tap on the wire: forwards what clients and a broker say, notes which requests there were.

It can swallow the broker's answers, as if it were killed before it sends them.

It knows frames and the first four bytes of a request, by struct alone, and nothing of the product.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

CHUNK = 1 << 16
START = struct.Struct(">ihh")  # the size of the frame, the API's key, its version


class Tap:
    """`with Tap(port) as tap:` listens at `tap.port` for a broker on the loopback port `port`.

    `broker_port` may be set later, before a client comes.
    """

    def __init__(self, broker_port: int = 0) -> None:
        self.broker_port = broker_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._seen: set[tuple[int, int]] = set()
        self._open: list[socket.socket] = []
        self._mute: set[socket.socket] = set()
        self._lock = threading.Lock()

    def take(self) -> set[tuple[int, int]]:
        """The (API key, version) pairs asked for since the last call."""
        with self._lock:
            seen, self._seen = self._seen, set()
        return seen

    def swallow(self) -> None:
        """Let no answer through any more on the connections that are open now."""
        with self._lock:
            self._mute.update(self._open)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            left = [self._listener, *self._open]
        for each in left:
            _end(each)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listener is closed: the test is over
            while True:
                client, _ = self._listener.accept()
                try:
                    broker = socket.create_connection(("127.0.0.1", self.broker_port))
                except OSError:  # It is down.
                    client.close()
                    continue
                with self._lock:
                    self._open += (client, broker)
                for work in (self._requests, self._answers):
                    threading.Thread(target=work, args=(client, broker), daemon=True).start()

    def _requests(self, client: socket.socket, broker: socket.socket) -> None:
        held = bytearray()
        for received in _chunks(client, broker):
            held += received
            while len(held) >= START.size:
                size, key, version = START.unpack_from(held)
                if len(held) < 4 + size:
                    break
                with self._lock:
                    self._seen.add((key, version))
                del held[: 4 + size]
            with contextlib.suppress(OSError):
                broker.sendall(received)

    def _answers(self, client: socket.socket, broker: socket.socket) -> None:
        for received in _chunks(broker, client):
            if broker not in self._mute:
                with contextlib.suppress(OSError):
                    client.sendall(received)


def _chunks(source: socket.socket, other: socket.socket) -> Iterator[bytes]:
    """What arrives, until one side ends; then both are ended."""
    with contextlib.suppress(OSError):
        while received := source.recv(CHUNK):
            yield received
    _end(source)
    _end(other)


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
