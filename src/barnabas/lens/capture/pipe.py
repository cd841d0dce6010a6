"""Pipe: one direction of a relayed connection; bytes of one side go to the other, in order."""

from collections.abc import Callable

from barnabas.errors import ConnectionFailed
from barnabas.ports import Channel

_RECEIVE_BYTES = 1 << 16
_SEND_BYTES = 1 << 18
"""The most bytes per send: a receiver may accept few, and the rest would be copied again."""

_MOST_HELD = 4 << 20
"""The bytes that may wait for a slow receiver before the sender is paused."""


class Pipe:
    """Reads from `source`, sends `passed(data)` to `target`, then calls `seen`.

    After the source ends or breaks and everything is sent, the target's sending side is closed; it
    may still respond. Then `on_end` is called once, also if the target breaks. The source is still
    read then: it may have to finish sending before it receives the other direction.
    """

    def __init__(
        self,
        source: Channel,
        target: Channel,
        passed: Callable[[bytes], bytes],
        seen: Callable[[bytes], None],
        on_end: Callable[[bool], None],
    ) -> None:
        """`on_end` receives whether the source broke."""
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
        """Send what fits; wait for space if some is left, and for the source only if it may send."""
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
