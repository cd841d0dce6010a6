"""Connection: requests of the proposal to one broker, many at a time, with responses in any order.

It has no thread: one of the waiting threads receives responses for all. Source: seed 001 "Known
Proposals" (correlation_id).
"""

import threading
from collections.abc import Callable
from struct import Struct
from typing import TypeVar

from barnabas.client.closing import Closing
from barnabas.client.driver07.connection import checked_size
from barnabas.client.proposal.pending_response import Pending, PendingEntry
from barnabas.dialects.proposal.frames import Answer, Asked, decode_response, encode_request
from barnabas.dialects.proposal.messages import BAD_FETCH
from barnabas.errors import (
    BrokerError,
    ConnectionFailed,
    DecodeError,
    ErrorCode,
    KafkaError,
    LocalProtocolError,
    RequestTimeout,
)
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.sockets.blocking_stream import BlockingStream
from barnabas.types import Buffer

_Answer = TypeVar("_Answer", bound=Answer)
_Result = TypeVar("_Result")

_SIZE = Struct(">i")
_NUMBER = Struct(">i")
_LEAST_REPLY = 8  # The header.
_CONNECT_SECONDS = 5.0
_NUMBERS = 0x7FFFFFFF
_LOOK_AGAIN_SECONDS = 0.05


class Connection(Closing):
    """To one address, from any number of threads. After a failure, the next request reconnects."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        client_id: str = "barnabas",
        socket_timeout_ms: int = 30_000,
        largest_reply: int = 1 << 28,
    ) -> None:
        """Connects on demand. `socket_timeout_ms`: how long the broker may be silent."""
        self._address = (host, port)
        self._client_id = client_id
        self._silent_s = socket_timeout_ms / 1000
        self._largest = largest_reply
        self._clock = SystemClock()
        self._sending = threading.Lock()
        self._changed = threading.Condition()
        self._stream: BlockingStream | None = None
        self._awaited: dict[int, PendingEntry] = {}
        self._number = 0
        self._size: int | None = None
        self._receiving = False
        self._closed = False

    def tell(self, asked: Asked) -> None:
        """Send a request without a response. Success does not mean that the broker stored anything.

        Raises:
            ConnectionFailed, RequestTimeout: it was not sent completely.
        """
        self._send(asked, None)

    def ask(
        self,
        asked: Asked,
        kind: type[_Answer],
        read: Callable[[ErrorCode, _Answer], _Result],
        waits_s: float = 0.0,
    ) -> Pending[_Result]:
        """Send a request; `read` turns error and body of the response into the `result`.

        `waits_s`: how long the broker may delay its response.

        Raises:
            ConnectionFailed, RequestTimeout: it was not sent completely.
        """

        def of_frame(frame: memoryview) -> _Result:
            header, body = decode_response(frame, kind)
            return read(named(header.error), body)

        awaited = PendingEntry()
        self._send(asked, awaited)
        return Pending(awaited, self, of_frame, self._silent_s + waits_s)

    def wait(self, pending: PendingEntry, seconds: float) -> None:
        """See `Settled.wait`; meanwhile it passes on the responses for others."""
        until = self._clock.monotonic() + seconds
        while True:
            left = max(0.0, until - self._clock.monotonic())
            with self._changed:
                self._changed.wait_for(
                    lambda: pending.outcome is not None or not self._receiving, left
                )
                if pending.outcome is not None:
                    return
                stream = self._stream
                if self._receiving or stream is None:
                    raise RequestTimeout(f"no response from {self} yet")
                self._receiving = True
            try:
                came = self._receive(stream, left)
            finally:
                with self._changed:
                    self._receiving = False
                    self._changed.notify_all()
            if not came and pending.outcome is None:
                raise RequestTimeout(f"no response from {self} within {seconds:g} s")

    def close(self) -> None:
        """Close the connection; pending requests fail. Nothing is sent any more."""
        self._closed = True
        self._fail(self._stream, ConnectionFailed(f"the connection to {self} was closed"))

    def __str__(self) -> str:
        return f"{self._address[0]}:{self._address[1]}"

    def _send(self, asked: Asked, awaited: PendingEntry | None) -> None:
        with self._sending:
            stream = self._connected()
            with self._changed:
                number = self._number = (self._number + 1) & _NUMBERS
                if self._stream is not stream:
                    raise ConnectionFailed(f"{self} closed the connection")
                if awaited is not None:
                    self._awaited[number] = awaited
            try:
                self._push(stream, encode_request(asked, number, self._client_id).joined())
            except (ConnectionFailed, RequestTimeout) as error:
                self._fail(stream, error)
                raise

    def _push(self, stream: BlockingStream, data: Buffer) -> None:
        """Send everything.

        A broker whose responses are not received reads nothing, so receive meanwhile.
        """
        rest = memoryview(data)
        until = self._clock.monotonic() + self._silent_s
        while rest:
            with self._changed:
                receiving = not self._receiving
                self._receiving = True
            left = max(0.0, until - self._clock.monotonic())
            try:
                # The receiving thread may end that, and no other thread may start.
                seconds = left if receiving else min(left, _LOOK_AGAIN_SECONDS)
                room, came = stream.ready_to_send(seconds, or_receive=receiving)
                if room:
                    rest = rest[stream.send_some(rest) :]
                if came:
                    self._receive(stream, 0)
            finally:
                if receiving:
                    with self._changed:
                        self._receiving = False
                        self._changed.notify_all()
            if room or came:
                until = self._clock.monotonic() + self._silent_s
            elif not left:
                raise RequestTimeout(f"{self} accepts no data")

    def _connected(self) -> BlockingStream:
        if self._closed:
            raise LocalProtocolError(f"the connection to {self} is closed")
        stream = self._stream
        if stream is not None and not self._awaited and stream.ready(0):
            # The broker has no pending response; readable means that it closed the connection.
            self._fail(stream, ConnectionFailed(f"{self} closed the connection"))
            stream = None
        if stream is None:
            connect_s = min(_CONNECT_SECONDS, self._silent_s)
            stream = BlockingStream(*self._address, connect_s=connect_s, timeout_s=self._silent_s)
            self._size = None
            with self._changed:
                self._stream = stream
        return stream

    def _receive(self, stream: BlockingStream, seconds: float) -> bool:
        """Receive one response, or the error; False: none was complete in time."""
        until = self._clock.monotonic() + seconds
        try:
            if not stream.ready(seconds):
                return False
            if self._size is None:
                size: int = _SIZE.unpack(stream.receive(_SIZE.size, until))[0]
                self._size = checked_size(size, _LEAST_REPLY, self._largest)
            frame = stream.receive(self._size, until)
            self._size = None
            self._hand_over(frame)
        except RequestTimeout as error:
            # Half a response is waited for until the time limit, or until the broker is silent.
            if self._clock.monotonic() - stream.received_at < self._silent_s:
                return False
            self._fail(stream, error)
        except (ConnectionFailed, DecodeError) as error:
            self._fail(stream, error)
        return True

    def _hand_over(self, frame: bytearray) -> None:
        number: int = _NUMBER.unpack_from(frame)[0]
        with self._changed:
            awaited = self._awaited.pop(number, None)
        if awaited is None:
            raise DecodeError("correlation_id", 0, f"that of a request, not {number}")
        awaited.settle(memoryview(frame))

    def _fail(self, stream: BlockingStream | None, error: KafkaError) -> None:
        """Fail all requests that wait for a response of a stream."""
        if stream is None:
            return
        with self._changed:
            if self._stream is stream:
                self._stream = None
                for awaited in self._awaited.values():
                    awaited.settle(error)
                self._awaited.clear()
                self._changed.notify_all()
        stream.close()


def named(code: int) -> ErrorCode:
    """The code under its current name."""
    return ErrorCode.INVALID_REQUEST if code == BAD_FETCH else ErrorCode.of(code)


def check(error: ErrorCode, what: str) -> None:
    """Raise an error of a whole request.

    Raises:
        BrokerError: there is one.
    """
    if error:
        raise BrokerError(error, what)
