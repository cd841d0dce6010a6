"""A bare socket that speaks just enough of Kafka to say it wrongly."""

import socket
import struct
from types import TracebackType
from typing import Self

ANSWER_SECONDS = 40.0
_PIECE = 64 * 1024


def header(api: int, version: int, correlation: int = 1, client: bytes = b"raw") -> bytes:
    """A request header of version 1."""
    return struct.pack(">hhih", api, version, correlation, len(client)) + client


def framed(body: bytes) -> bytes:
    """A frame: the size, then the body."""
    return struct.pack(">i", len(body)) + body


def produce_7(topic: str, records: bytes | None, *, acks: int = -1, partition: int = 0) -> bytes:
    """A whole Produce request of version 7 for one partition, as a frame."""
    name = topic.encode()
    body = struct.pack(">hhii", -1, acks, 5000, 1) + struct.pack(">h", len(name)) + name
    body += struct.pack(">ii", 1, partition)
    body += struct.pack(">i", -1) if records is None else struct.pack(">i", len(records)) + records
    return framed(header(0, 7) + body)


def produce_7_code(topic: str, answer: bytes) -> int:
    """The partition's error code in the answer (a frame without its size)."""
    (code,) = struct.unpack_from(">h", answer, 4 + 4 + 2 + len(topic.encode()) + 4 + 4)
    return int(code)


class Raw:
    """One connection; `ask` gives the answer, or None where the broker closed it."""

    def __init__(self, address: str, seconds: float = ANSWER_SECONDS) -> None:
        """`seconds` are what is waited for each answer."""
        host, port = address.split(":")
        self._seconds = seconds
        self._socket = socket.create_connection((host, int(port)), seconds)

    def send(self, data: bytes) -> None:
        """Send, whether or not the other side still listens."""
        try:
            self._socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return

    def send_what_fits(self, data: bytes, seconds: float = 1.0) -> int:
        """Send until the other side has taken nothing for so long; the bytes that it took."""
        self._socket.settimeout(seconds)
        sent = 0
        try:
            while sent < len(data):
                sent += self._socket.send(data[sent : sent + _PIECE])
        except (TimeoutError, BrokenPipeError, ConnectionResetError):
            return sent
        finally:
            self._socket.settimeout(self._seconds)
        return sent

    def ask(self, data: bytes) -> bytes | None:
        """Send, and receive one frame (without its size); None for a closed connection."""
        self.send(data)
        size = self._exactly(4)
        return None if size is None else self._exactly(int.from_bytes(size, "big"))

    def read_one(self) -> bool:
        """Read one byte; False where the broker closed the connection."""
        return self._exactly(1) is not None

    def closed(self) -> bool:
        """Whether the broker closes the connection without another word."""
        return self._exactly(1) is None

    def _exactly(self, count: int) -> bytes | None:
        received = b""
        while len(received) < count:
            try:
                part = self._socket.recv(count - len(received))
            except ConnectionResetError:
                return None
            if not part:
                return None
            received += part
        return received

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
