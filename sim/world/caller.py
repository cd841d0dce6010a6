"""Caller: one scripted client's connection to the broker: requests in the versions of its time."""

from collections.abc import Mapping
from typing import TypeVar

from barnabas.errors import ConnectionFailed
from barnabas.ports import Channel
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.wire.framing import SIZE_BYTES, FrameSplitter
from barnabas.wire.schema import declaration_of
from sim.world.channel import SimChannel
from sim.world.network import SimNetwork
from sim.world.process import Process
from sim.world.promise import Promise

_T = TypeVar("_T")
_RECEIVE_BYTES = 64 * 1024
_LARGEST = 1 << 24
PORT = 9092


class Lost(Exception):
    """No answer came; nobody knows what became of the request."""


class Caller:
    """At most one connection, made when it is needed. Answers come in the order of requests."""

    def __init__(
        self,
        process: Process,
        network: SimNetwork,
        client_id: str,
        versions: Mapping[ApiKey, int],
        port: int = PORT,
    ) -> None:
        self.process = process
        self._port = port
        self.versions = versions
        self._network = network
        self._client_id = client_id
        self._channel: Channel | None = None
        self._asked: list[tuple[int, ApiKey, int, Promise[object]]] = []
        self._count = 0
        self._unsent = b""
        self._received = bytearray()
        self._needed = FrameSplitter(_LARGEST).needed

    @property
    def is_connected(self) -> bool:
        """Whether it has a connection that it has not seen break."""
        return self._channel is not None

    async def ask(self, message: object, kind: type[_T], seconds: float = 10.0) -> _T:
        """The answer.

        Raises:
            Lost: none came, within `seconds` at least. The connection is given up.
        """
        await self.connect()
        answer = await self.send(message, seconds)
        assert isinstance(answer, kind), f"an answer of another kind: {answer!r}"
        return answer

    async def connect(self) -> None:
        """Have a connection.

        Raises:
            Lost: nobody listens.
        """
        if self._channel is not None:
            return
        connected: Promise[Channel | Exception] = Promise()
        self._network.connect("127.0.0.1", self._port, connected.keep)
        outcome = await connected
        if isinstance(outcome, Exception):
            raise Lost
        self._channel = outcome
        outcome.on_readable(self._on_readable)

    def send(self, message: object, seconds: float = 10.0) -> Promise[object]:
        """Ask behind what was asked before; the answer comes, or it is `Lost`."""
        promise: Promise[object] = Promise()
        if self._channel is None:
            promise.fail(Lost())
            return promise
        key = ApiKey(declaration_of(type(message)).key or 0)
        version = self.versions[key]
        self._count += 1
        self._asked.append((self._count, key, version, promise))
        header = RequestHeader(key, version, self._count, self._client_id)
        self._unsent += encode_request(header, message).joined()
        timer = self.process.after(seconds, self.hang_up)
        promise.when_settled(timer.cancel)
        self._send()
        return promise

    def hang_up(self) -> None:
        """Give the connection up, and all that was asked."""
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.on_readable(None)
            assert isinstance(channel, SimChannel)
            channel.abort()
        asked, self._asked = self._asked, []
        self._unsent = b""
        self._received.clear()
        for *_, promise in asked:
            promise.fail(Lost())

    def _send(self) -> None:
        channel = self._channel
        if channel is None:
            return
        try:
            sent = channel.send_one(self._unsent)
        except ConnectionFailed:
            self.hang_up()
            return
        self._unsent = self._unsent[sent:]
        channel.on_writable(self._send if self._unsent else None)

    def _on_readable(self) -> None:
        assert self._channel is not None
        target = bytearray(_RECEIVE_BYTES)
        try:
            count = self._channel.receive_into(memoryview(target))
        except ConnectionFailed:
            count = 0
        if count == 0:
            self.hang_up()
        elif count > 0:
            self._received += target[:count]
            self._take_frames()

    def _take_frames(self) -> None:
        received = self._received
        while len(received) >= SIZE_BYTES:
            size = self._needed(memoryview(received))
            if len(received) < size:
                return
            frame = bytes(received[SIZE_BYTES:size])
            del received[:size]
            number, key, version, promise = self._asked.pop(0)
            answered, answer = decode_response(key, version, frame)
            assert answered == number, f"answer {answered} to request {number}"
            promise.keep(answer)
