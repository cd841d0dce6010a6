"""Pipe: one direction of a relayed connection. What one side sends goes to the other, in order."""

from collections.abc import Callable

from barnabas.errors import ConnectionFailed
from barnabas.ports import Channel

_RECEIVE_BYTES = 1 << 16
_SEND_BYTES = 1 << 18
"""A sender is given no more of what is held, for it may take little, and all would be copied again."""

_MOST_HELD = 4 << 20
"""Bytes that a slow receiver may leave here before the sender has to wait."""


class Pipe:
    """Reads from `source`, sends what `passed` makes of it to `target`, then tells `seen`.

    When the source has ended or broken and all is sent, the target is told that it ended; it may still
    speak. After that `on_end` is called, once, or when the target broke. Then the source is read on, as
    it may have to say all before it takes what comes the other way.
    """

    def __init__(
        self,
        source: Channel,
        target: Channel,
        passed: Callable[[bytes], bytes],
        seen: Callable[[bytes], None],
        on_end: Callable[[bool], None],
    ) -> None:
        """`on_end` hears whether the source broke."""
        self._source = source
        self._target = target
        self._passed = passed
        self._seen = seen
        self._on_end: Callable[[bool], None] | None = on_end
        self._buffer = memoryview(bytearray(_RECEIVE_BYTES))
        self._out = bytearray()
        self._ended = False
        self._broke = False
        self._lost = False
        """Whether the target broke."""
        source.on_readable(self._read)

    def _read(self) -> None:
        try:
            count = self._source.receive_into(self._buffer)
        except ConnectionFailed:
            count = 0
            self._broke = True
        if count < 0:
            return
        data = bytes(self._buffer[:count])
        if not data:
            self._ended = True
            self._source.on_readable(None)
        if not self._lost:
            self._out += self._passed(data)
            self._send()
        if data:
            self._seen(data)
        self._end_if_over()

    def _send_on(self) -> None:
        self._send()
        self._end_if_over()

    def _send(self) -> None:
        """Send what fits; wait for room if not all does, and for the source only if it may be."""
        try:
            while self._out and (sent := self._target.send_one(self._out[:_SEND_BYTES])):
                del self._out[:sent]
        except ConnectionFailed:
            self._lost = True
            self._out.clear()
        self._target.on_writable(self._send_on if self._out else None)
        if not self._ended:
            self._source.on_readable(self._read if len(self._out) < _MOST_HELD else None)

    def _end_if_over(self) -> None:
        if self._on_end is None or not (self._lost or (self._ended and not self._out)):
            return
        on_end, self._on_end = self._on_end, None
        if not self._lost:
            self._target.end_sending()
        on_end(self._broke)
