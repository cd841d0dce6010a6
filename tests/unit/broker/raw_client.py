"""A client of a few lines: sends messages or bytes, reads frames. For tests past a driver."""

import socket
import struct
import time
from types import TracebackType
from typing import Self, TypeVar

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.wire.schema import declaration_of

Answer = TypeVar("Answer")


class RawClient:
    """One connection. Correlation ids count up; answers must come in order."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._stream = self._socket.makefile("rb")
        self.name = "{}:{}".format(*self._socket.getsockname())
        """What the broker calls it."""
        self._sent = 0
        self._waiting: list[tuple[int, ApiKey, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()
        self._socket.close()

    def frame(
        self,
        message: object,
        version: int,
        *,
        expect_reply: bool = True,
        answered_in: int | None = None,
    ) -> bytes:
        """The bytes of the next request, whose reply may be of another version."""
        key = declaration_of(type(message)).key
        assert key is not None
        key = ApiKey(key)
        self._sent += 1
        if expect_reply:
            self._waiting.append((self._sent, key, version if answered_in is None else answered_in))
        return encode_request(RequestHeader(key, version, self._sent, "raw"), message).joined()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def ask(self, message: object, version: int, kind: type[Answer]) -> Answer:
        """Send one request and read its answer."""
        self.send(self.frame(message, version))
        return self.receive(kind)

    def receive(self, kind: type[Answer]) -> Answer:
        """The next answer, which must be of that kind and to the oldest request."""
        data = self._stream.read(4)
        assert len(data) == 4, "the broker closed the connection"
        (size,) = struct.unpack(">i", data)
        expected, key, version = self._waiting.pop(0)
        correlation_id, answer = decode_response(key, version, self._stream.read(size))
        assert correlation_id == expected
        assert isinstance(answer, kind)
        return answer

    def reset(self) -> None:
        """Go, so that the other side finds the stream broken."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._stream.close()
        self._socket.close()

    def end_sending(self) -> None:
        """The broker finds the end of the stream; answers can still be received."""
        self._socket.shutdown(socket.SHUT_WR)

    def is_closed_by_the_other_side(self) -> bool:
        """Waits for the end of the stream; anything else that comes is a failure."""
        try:
            return self._stream.read(1) == b""
        except ConnectionResetError:
            return True

    def rest(self) -> bytes:
        """What else comes until the other side closes."""
        return self._stream.read()

    def seconds_of(self, message: object, version: int, kind: type[Answer]) -> tuple[float, Answer]:
        """How long an answer took, with the answer."""
        begin = time.monotonic()
        answer = self.ask(message, version, kind)
        return time.monotonic() - begin, answer
