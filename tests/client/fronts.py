"""A proxy before a broker that closes, stalls or sends nonsense, and addresses without a broker."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Self

import pytest

from barnabas import Admin, NewTopic, Producer
from barnabas.testing.embedded_broker import EmbeddedBroker

TOPIC: Final = "t"
_PASS, _SILENT, _GARBAGE = "pass", "silent", "garbage"


class Front:
    """`with` it. Passes everything on to `target`, a port, until a test changes that."""

    def __init__(self, target: int | None = None) -> None:
        self.target = target
        self._how = _PASS if target else _SILENT
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._over = threading.Event()

    @property
    def address(self) -> str:
        """host:port."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        _begin(self._accept)
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self.die()

    def die(self) -> None:
        """End all connections; nothing listens any more."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._sockets:
            _end(each)

    def fall_silent(self) -> None:
        """Connections stay and are made, and nothing is sent over them: as of a stopped process."""
        self._how = _SILENT

    def talk_nonsense(self) -> None:
        """Answer everything by random bytes."""
        self._how = _GARBAGE

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(client)
            if self._how == _GARBAGE:
                _begin(self._pass, client, client)
            elif self._how == _PASS and self.target is not None:
                self._join(client, self.target)

    def _join(self, client: socket.socket, target: int) -> None:
        try:
            broker = socket.create_connection(("127.0.0.1", target))
        except ConnectionRefusedError:
            _end(client)
            return
        self._sockets.append(broker)
        _begin(self._pass, client, broker)
        _begin(self._pass, broker, client)

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self._how == _SILENT:
                    self._over.wait()
                elif self._how == _GARBAGE:
                    source.sendall(os.urandom(len(data)))
                else:
                    target.sendall(data)
        _end(source)
        _end(target)


def _begin(target: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=target, args=arguments, daemon=True).start()


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


@dataclass(frozen=True)
class Place:
    """Where clients are to begin. `fall`: they have been served, and now the broker leaves."""

    servers: str
    fall: Callable[[], None] | None = None


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


@contextmanager
def nobody() -> Iterator[Place]:
    yield Place(f"127.0.0.1:{free_port()}")


@contextmanager
def silent() -> Iterator[Place]:
    with Front() as front:
        yield Place(front.address)


@contextmanager
def accepting_nothing() -> Iterator[Place]:
    """The listen backlog is full: connecting never ends."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.settimeout(0)
            each.connect_ex(listener.getsockname())
        yield Place(f"127.0.0.1:{listener.getsockname()[1]}")
        for each in waiting:
            each.close()


@contextmanager
def talking_nonsense() -> Iterator[Place]:
    with Front() as front:
        front.talk_nonsense()
        yield Place(front.address)


@contextmanager
def without_a_name() -> Iterator[Place]:
    yield Place("no.such.name.invalid:9092")


@contextmanager
def with_a_name_that_nobody_answers_for() -> Iterator[Place]:
    over, really = threading.Event(), socket.getaddrinfo

    def hang(host: str, *rest: Any, **more: Any) -> Any:
        if host == "hangs.invalid":
            over.wait()
        return really(host, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", hang)
        yield Place("hangs.invalid:9092")
        over.set()


@contextmanager
def served(how: str, *, all_of_it: bool) -> Iterator[Place]:
    """A broker that is there at first. `all_of_it`: else it still answers where clients begin, but
    not at the address of leader and coordinator that it gives them."""
    port = free_port()
    with Front(port) as front:
        properties = {
            "listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "advertised.listeners": f"PLAINTEXT://{front.address}",
        }
        with EmbeddedBroker(properties):
            with Admin(bootstrap_servers=front.address) as admin:
                admin.create_topics([NewTopic(TOPIC, 1)])
            with Producer(bootstrap_servers=front.address) as producer:
                producer.send(TOPIC, b"first")
            servers = front.address if all_of_it else f"127.0.0.1:{port}"
            yield Place(servers, getattr(front, how))
