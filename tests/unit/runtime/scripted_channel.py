"""A Channel whose other side is a test: what arrives and how much fits are set beforehand."""

from collections import deque
from collections.abc import Callable, Sequence

from barnabas.errors import ConnectionFailed
from barnabas.ports import File
from barnabas.types import Buffer


class ScriptedChannel:
    """`arrive` feeds the reader; `sent` collects; `room` is how much a send takes (None: all).

    Each event is a turn of the loop, and `turn_over` what is done at its end. One that `refuses`
    takes nothing any more, and may have sent something before.
    """

    peer = "127.0.0.1:4711"

    def __init__(self, turn_over: Callable[[], None] = lambda: None) -> None:
        self._turn_over = turn_over
        self.arriving: deque[bytes] = deque()
        self.ended = False
        self.broken = False
        self.refuses = False
        self.sent = bytearray()
        self.calls: list[str] = []
        self.room: int | None = None
        self.closed = False
        self.readable: Callable[[], None] | None = None
        self.writable: Callable[[], None] | None = None
        self.late = False

    def arrive(self, *chunks: bytes) -> None:
        """Make each chunk one readiness event, as long as somebody listens."""
        for chunk in chunks:
            self.arriving.append(chunk)
            self.let_arrive()

    def let_arrive(self) -> None:
        """Tell the reader as long as it listens and something is there."""
        while self.arriving and self.readable is not None:
            self.readable()
            self._turn_over()

    def end(self) -> None:
        self.ended = True
        if self.readable is not None:
            self.readable()

    def break_off(self) -> None:
        """Let the reader find that the stream broke; nothing can be sent any more."""
        self.broken = True
        if self.readable is not None:
            self.readable()

    def drain(self, room: int | None = None) -> None:
        """Let `room` more bytes out and tell the writer."""
        self.room = room
        if self.writable is not None:
            self.writable()

    def receive_into(self, target: memoryview) -> int:
        if self.broken:
            raise ConnectionFailed("reset by the test")
        if not self.arriving:
            return 0 if self.ended else -1
        chunk = self.arriving.popleft()
        taken = min(len(chunk), len(target))
        target[:taken] = chunk[:taken]
        if taken < len(chunk):
            self.arriving.appendleft(chunk[taken:])
        return taken

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        data = b"".join(buffers)
        return self._take("send more" if more else "send", data)

    def send_one(self, data: Buffer) -> int:
        return self._take("send", bytes(data))

    def send_file(self, file: File, position: int, count: int) -> int:
        return self._take("send_file", file.read(position, count))

    def _take(self, call: str, data: bytes) -> int:
        if self.broken or self.refuses:
            raise ConnectionFailed("reset by the test")
        taken = len(data) if self.room is None else min(self.room, len(data))
        if self.room is not None:
            self.room -= taken
        self.sent += data[:taken]
        self.calls.append(call)
        return taken

    def on_readable(self, callback: Callable[[], None] | None, *, late: bool = False) -> None:
        self.readable = callback
        self.late = late

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        self.writable = callback

    def end_sending(self) -> None:
        self.calls.append("end")

    def close(self) -> None:
        self.closed = True
        self.readable = self.writable = None
