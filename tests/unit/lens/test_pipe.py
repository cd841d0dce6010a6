"""A relayed direction with slow, breaking and ending sides. The channels are lists."""

from collections.abc import Callable, Sequence

from barnabas.errors import ConnectionFailed
from barnabas.lens.pipe import Pipe
from barnabas.ports import File
from barnabas.types import Buffer


class Side:
    """A channel that gives what is put into `incoming` and takes `room` bytes at a time."""

    def __init__(self, room: int = 1 << 30) -> None:
        self.incoming: list[bytes] = []
        self.sent = b""
        self.room = room
        self.broken = False
        self.readable: Callable[[], None] | None = None
        self.writable: Callable[[], None] | None = None

    peer = "127.0.0.1:1"

    def receive_into(self, target: memoryview) -> int:
        if self.broken:
            raise ConnectionFailed("gone")
        if not self.incoming:
            return -1
        data = self.incoming.pop(0)
        target[: len(data)] = data
        return len(data)

    def send(self, buffers: Sequence[Buffer], *, more: bool = False) -> int:
        if self.broken:
            raise ConnectionFailed("gone")
        taken = bytes(buffers[0])[: self.room]
        self.room -= len(taken)
        self.sent += taken
        return len(taken)

    def send_file(self, file: File, position: int, count: int) -> int:
        raise NotImplementedError

    def on_readable(self, callback: Callable[[], None] | None) -> None:
        self.readable = callback

    def on_writable(self, callback: Callable[[], None] | None) -> None:
        self.writable = callback

    def close(self) -> None:
        self.readable = self.writable = None

    def say(self, *data: bytes) -> None:
        self.incoming += data
        while self.incoming and self.readable is not None:
            self.readable()


class Piped:
    def __init__(self, room: int = 1 << 30) -> None:
        self.source, self.target = Side(), Side(room)
        self.seen: list[bytes] = []
        self.ends = 0
        Pipe(self.source, self.target, lambda data: data.upper(), self.seen.append, self.end)

    def end(self) -> None:
        self.ends += 1


def test_what_is_said_is_passed_on_and_seen() -> None:
    piped = Piped()
    piped.source.say(b"hello ", b"world")
    assert (piped.target.sent, piped.seen) == (b"HELLO WORLD", [b"hello ", b"world"])
    piped.source.say(b"")
    assert piped.ends == 1


def test_a_slow_receiver_gets_all_of_it_and_the_end_waits() -> None:
    piped = Piped(room=3)
    piped.source.say(b"hello", b"")
    assert (piped.target.sent, piped.ends) == (b"HEL", 0)
    piped.target.room = 100
    assert piped.target.writable is not None
    piped.target.writable()
    assert (piped.target.sent, piped.ends) == (b"HELLO", 1)


def test_who_sends_too_much_has_to_wait() -> None:
    piped = Piped(room=0)
    piped.source.say(*[bytes(65536)] * 100)
    left = len(piped.source.incoming)
    assert 0 < left < 100
    assert piped.source.readable is None
    piped.target.room = 1 << 30
    assert piped.target.writable is not None
    piped.target.writable()
    piped.source.say()
    assert len(piped.target.sent) == 100 * 65536


def test_a_side_that_breaks_ends_it_once() -> None:
    for name in ("source", "target"):
        piped = Piped()
        side = piped.source if name == "source" else piped.target
        side.broken = True
        piped.source.incoming.append(b"x")
        assert piped.source.readable is not None
        piped.source.readable()
        assert piped.ends == 1
