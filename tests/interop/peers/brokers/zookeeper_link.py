"""ZooKeeperLink: a port before ZooKeeper's, which fails at one request of a client's, until it is healed."""

import socket
import struct
import threading
from contextlib import suppress
from enum import Enum
from types import TracebackType
from typing import Self

from kazoo.client import KazooClient

_PING = -2
_SECONDS = 40.0
_HEADER = 4


class Fault(Enum):
    """What becomes of the request that is hit."""

    SILENT = "nothing arrives until it is healed"
    CUT = "it arrives, and the connection is reset before its answer does"
    EXPIRED = "as silent, and the session ends meanwhile"


class ZooKeeperLink:
    """`with ZooKeeperLink(port, Fault.SILENT, 3) as link:` fails at the fourth request; the first connects."""

    def __init__(self, target: int, fault: Fault = Fault.SILENT, at: int = -1) -> None:
        self._target = target
        self._fault = fault
        self._at = at
        self._lock = threading.Lock()
        self._healed = threading.Event()
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._session: tuple[int, bytes] | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.requests = 0
        """How many have come, but for pings."""
        self.hit = threading.Event()
        """Set when the one has come that it fails at."""

    def __enter__(self) -> Self:
        self._run(self._accept)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._healed.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._sockets:
            _reset(one)
        for thread in self._threads:
            thread.join(_SECONDS)

    def heal(self) -> None:
        """End the fault; what was held back goes on."""
        if self._fault is Fault.EXPIRED and self._session is not None:
            thief = KazooClient(f"127.0.0.1:{self._target}", client_id=self._session)
            thief.start(_SECONDS)
            thief.stop()
            thief.close()
        self._healed.set()

    def _run(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += [client, server]
                self._run(self._pump_requests, client, server)
                self._run(self._pump_answers, server, client)

    def _pump_requests(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            is_first = True
            while frame := _frame(client):
                is_ping = not is_first and struct.unpack_from(">i", frame, _HEADER)[0] == _PING
                is_first = False
                if self._is_hit(is_ping=is_ping):
                    if self._fault is Fault.CUT:
                        server.sendall(frame)
                        _reset(client)
                        break
                    self._healed.wait(_SECONDS)
                server.sendall(frame)
        _reset(server)

    def _is_hit(self, *, is_ping: bool) -> bool:
        with self._lock:
            if not is_ping and not self.hit.is_set():
                self.requests += 1
                if self.requests == self._at + 1:
                    self.hit.set()
                    return True
            return self.hit.is_set() and self._fault is not Fault.CUT

    def _pump_answers(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            answer = _frame(server)
            if answer:
                # Version and timeout, then the session and its password.
                number, size = struct.unpack_from(">qi", answer, _HEADER + 8)
                if number:
                    self._session = number, answer[_HEADER + 20 : _HEADER + 20 + size]
            while answer:
                client.sendall(answer)
                answer = _frame(server)
        _reset(client)


def _frame(source: socket.socket) -> bytes:
    """A whole frame with its length; empty: the other side has ended."""
    head = source.recv(_HEADER, socket.MSG_WAITALL)
    if len(head) < _HEADER:
        return b""
    (size,) = struct.unpack(">i", head)
    return head + source.recv(size, socket.MSG_WAITALL)


def _reset(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
