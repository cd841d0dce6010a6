"""Connection: Kafka 0.7 requests to one broker, one at a time. It connects on demand."""

from struct import Struct

from barnabas.client.driver07.cluster import Address
from barnabas.dialects.kafka07.frames import Message as Request
from barnabas.dialects.kafka07.frames import encode_request
from barnabas.errors import ConnectionFailed, DecodeError, RequestTimeout
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.sockets.blocking_stream import BlockingStream

_SIZE = Struct(">i")
_LEAST_REPLY = 2  # The error code.
_CONNECT_SECONDS = 5.0
monotonic = SystemClock.monotonic


class Connection:
    """To one address. After a failure, the next request reconnects.

    `timeout_s` limits a whole request: connecting, sending and receiving the reply.
    """

    def __init__(self, address: Address, timeout_s: float) -> None:
        self.address = address
        self._timeout_s = timeout_s
        self._stream: BlockingStream | None = None

    def tell(self, request: Request) -> None:
        """Send a request without a reply. Success does not mean that the broker stored anything.

        Raises:
            ConnectionFailed, RequestTimeout: it was not sent completely.
        """
        self._close_ended()
        self._tell(request, monotonic() + self._timeout_s)

    def ask(self, request: Request, most: int) -> memoryview:
        """Return the reply to a request, without its size; up to `most` bytes.

        Raises:
            ConnectionFailed: the broker is gone, or closed the connection, maybe because of the request.
            RequestTimeout: no reply arrived.
            DecodeError: the reply has an impossible size.
        """
        until = monotonic() + self._timeout_s
        self._close_ended()
        self._tell(request, until)
        try:
            stream = self._connected(until)
            size = _SIZE.unpack(stream.receive(_SIZE.size, until))[0]
            size = checked_size(size, _LEAST_REPLY, most)
            return memoryview(stream.receive(size, until))
        except (ConnectionFailed, RequestTimeout, DecodeError):
            self.close()
            raise

    def interrupt(self) -> None:
        """Break the connection; the thread that waits on it closes it."""
        stream = self._stream
        if stream is not None:
            stream.close()

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _close_ended(self) -> None:
        """Detect a closed connection: a broker closes it to refuse something, and a write would be lost."""
        if self._stream is not None and self._stream.has_ended():
            self.close()

    def _tell(self, request: Request, until: float) -> None:
        try:
            self._connected(until).send([encode_request(request).joined()], until)
        except (ConnectionFailed, RequestTimeout):
            self.close()
            raise

    def _connected(self, until: float) -> BlockingStream:
        if self._stream is None:
            host, port = self.address
            connect_s = min(_CONNECT_SECONDS, max(0.0, until - monotonic()))
            self._stream = BlockingStream(
                host, port, connect_s=connect_s, timeout_s=self._timeout_s
            )
        return self._stream


def checked_size(size: int, least: int, most: int) -> int:
    """Return the size of a reply.

    Raises:
        DecodeError: it is impossible.
    """
    if not least <= size <= most:
        raise DecodeError("size", 0, f"from {least} to {most}, not {size}")
    return size
