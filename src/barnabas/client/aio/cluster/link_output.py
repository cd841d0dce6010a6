"""What a link still has to send, in order, while its socket takes only a part."""

from collections import deque
from collections.abc import Callable

from barnabas.client.core.metrics import Traffic
from barnabas.errors import ConnectionFailed
from barnabas.ports import Channel
from barnabas.types import Buffer
from barnabas.wire.send import Send


class LinkOutput:
    """The outgoing bytes of one connection; `on_failure` is called when it can send no more."""

    __slots__ = ("_channel", "_on_failure", "_parts", "_traffic")

    def __init__(
        self, channel: Channel, traffic: Traffic, on_failure: Callable[[ConnectionFailed], None]
    ) -> None:
        self._channel = channel
        self._traffic = traffic
        self._on_failure = on_failure
        self._parts: deque[Buffer] = deque()

    def write(self, send: Send) -> None:
        """Send it after everything before it: at once, or when the socket is writable."""
        idle = not self._parts
        for part in send.parts:
            assert isinstance(part, bytes | bytearray | memoryview), "a client sends no files"
            self._parts.append(part)
        if idle:
            self._flush()

    def clear(self) -> None:
        """Forget what was not sent."""
        self._parts.clear()

    def _flush(self) -> None:
        channel, parts = self._channel, self._parts
        try:
            while parts:
                taken = channel.send(list(parts))
                if not taken:
                    channel.on_writable(self._flush)
                    return
                self._traffic.bytes_sent += taken
                self._drop(taken)
        except ConnectionFailed as error:
            parts.clear()
            self._on_failure(error)
        channel.on_writable(None)

    def _drop(self, taken: int) -> None:
        parts = self._parts
        while taken:
            first = parts[0]
            if taken < len(first):
                parts[0] = memoryview(first)[taken:]
                return
            taken -= len(first)
            parts.popleft()
