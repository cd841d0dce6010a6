"""PeerConnection: sends requests to another broker, one at a time, over the Network port."""

from collections.abc import Callable
from struct import Struct

from barnabas.cluster.image import Broker
from barnabas.errors import ConnectionFailed, DecodeError, KafkaError
from barnabas.ports import Channel, Network, Timer, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.types import Buffer
from barnabas.wire.send import FileSlice

_SIZE = Struct(">i")
_MOST_BYTES = 1 << 30

Address = tuple[str, int]
"""Host and port."""

OnAnswer = Callable[[object | KafkaError], None]


class PeerConnection:
    """A connection that opens with the first request, and again after it was lost.

    Invariant: `_on_answer` is set exactly while a request is pending.
    """

    def __init__(self, network: Network, timers: Timers, address: Address, client_id: str) -> None:
        self._network = network
        self._timers = timers
        self._address = address
        self._client_id = client_id
        self._channel: Channel | None = None
        self._cancel: Callable[[], None] | None = None
        self._on_answer: OnAnswer | None = None
        self._asked: tuple[ApiKey, int] = (ApiKey.FETCH, 0)
        self._correlation = 0
        self._outgoing: list[Buffer] = []
        self._timer: Timer | None = None
        self._head = bytearray(_SIZE.size)
        self._body: bytearray | None = None
        self._received = 0

    @property
    def is_busy(self) -> bool:
        """Whether a request is pending."""
        return self._on_answer is not None

    def ask(
        self, key: ApiKey, version: int, message: object, seconds: float, on_answer: OnAnswer
    ) -> None:
        """Send a request; `on_answer` gets the response, or the error instead, after `seconds` at the latest.

        Records in a response are views of a buffer that is not reused.
        """
        assert self._on_answer is None, "one request at a time"
        self._correlation = (self._correlation + 1) & 0x7FFFFFFF
        header = RequestHeader(key, version, self._correlation, self._client_id)
        parts = encode_request(header, message).parts
        assert not any(isinstance(part, FileSlice) for part in parts)
        self._outgoing = [part for part in parts if not isinstance(part, FileSlice)]
        self._asked, self._on_answer = (key, version), on_answer
        self._timer = self._timers.after(
            seconds, lambda: self._fail(ConnectionFailed(f"{self._where} has not answered"))
        )
        if self._channel is None:
            host, port = self._address
            self._cancel = self._network.connect(host, port, self._on_connected)
        else:
            self._send()

    def close(self) -> None:
        """Close the connection; `on_answer` of a pending request is not called."""
        self._on_answer = None
        self._drop()

    @property
    def _where(self) -> str:
        return "{}:{}".format(*self._address)

    def _on_connected(self, found: Channel | Exception) -> None:
        self._cancel = None
        if isinstance(found, Exception):
            self._fail(ConnectionFailed(f"{self._where}: {found}"))
            return
        self._channel = found
        self._received, self._body = 0, None
        found.on_readable(self._on_readable)
        self._send()

    def _send(self) -> None:
        channel = self._channel
        assert channel is not None
        try:
            while self._outgoing:
                sent = channel.send(self._outgoing)
                if not sent:
                    channel.on_writable(self._send)
                    return
                while self._outgoing and sent >= len(self._outgoing[0]):
                    sent -= len(self._outgoing.pop(0))
                if sent:
                    self._outgoing[0] = memoryview(self._outgoing[0])[sent:]
            channel.on_writable(None)
        except ConnectionFailed as error:
            self._fail(error)

    def _on_readable(self) -> None:
        channel = self._channel
        try:
            while channel is not None and channel is self._channel:
                target = self._head if self._body is None else self._body
                count = channel.receive_into(memoryview(target)[self._received :])
                if count < 0:
                    return
                if count == 0:
                    self._fail(ConnectionFailed(f"{self._where} has closed the connection"))
                    return
                self._received += count
                if self._received == len(target):
                    self._on_whole(target)
        except (ConnectionFailed, DecodeError) as error:
            self._fail(error)

    def _on_whole(self, data: bytearray) -> None:
        self._received = 0
        if self._body is None:
            (size,) = _SIZE.unpack(data)
            if not 0 < size <= _MOST_BYTES:
                raise DecodeError("frame", 0, f"at most {_MOST_BYTES} bytes, not {size}")
            self._body = bytearray(size)
            return
        self._body = None
        correlation, response = decode_response(*self._asked, memoryview(data))
        on_answer = self._on_answer
        if correlation != self._correlation or on_answer is None:
            raise DecodeError("header.correlation_id", 0, f"{self._correlation}, not {correlation}")
        self._end_wait()
        on_answer(response)

    def _fail(self, error: KafkaError) -> None:
        on_answer = self._on_answer
        self._drop()
        if on_answer is not None:
            on_answer(error)

    def _drop(self) -> None:
        self._end_wait()
        if self._cancel is not None:
            self._cancel()
            self._cancel = None
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def _end_wait(self) -> None:
        self._on_answer = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def address_of(broker: Broker) -> Address:
    """The address at which brokers reach it: its first listener without TLS or SASL, if it has one."""
    plain = [one for one in broker.endpoints if one.security_protocol == 0]
    endpoint = (plain or [*broker.endpoints])[0]
    return endpoint.host, endpoint.port
