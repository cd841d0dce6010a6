"""A relayed direction with sides that are slow, break or end."""

from barnabas.lens.capture.pipe import Pipe
from barnabas.types import Buffer
from tests.unit.runtime.scripted_channel import ScriptedChannel


class Sizing(ScriptedChannel):
    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def send_one(self, data: Buffer) -> int:
        self.sizes.append(len(data))
        return super().send_one(data)


class Piped:
    def __init__(self, target: ScriptedChannel | None = None) -> None:
        self.source, self.target = ScriptedChannel(), target or ScriptedChannel()
        self.seen: list[bytes] = []
        self.ends = 0
        self.broke = False
        Pipe(self.source, self.target, lambda data: data.upper(), self.seen.append, self.end)

    def end(self, broke: bool) -> None:  # noqa: FBT001 - as Pipe calls it
        self.ends += 1
        self.broke = broke


def test_bytes_are_passed_on_and_seen() -> None:
    piped = Piped()
    piped.source.arrive(b"hello ", b"world")
    assert (bytes(piped.target.sent), piped.seen) == (b"HELLO WORLD", [b"hello ", b"world"])
    piped.source.end()
    assert (piped.ends, piped.broke, piped.target.calls[-1]) == (1, False, "end")
    assert not piped.target.closed


def test_a_slow_receiver_gets_all_of_it_and_the_end_waits() -> None:
    piped = Piped()
    piped.target.room = 3
    piped.source.arrive(b"hello")
    piped.source.end()
    assert (bytes(piped.target.sent), piped.ends) == (b"HEL", 0)
    assert "end" not in piped.target.calls
    piped.target.drain()
    assert (bytes(piped.target.sent), piped.ends) == (b"HELLO", 1)


def test_who_sends_too_much_has_to_wait() -> None:
    piped = Piped()
    piped.target.room = 0
    piped.source.arrive(*[bytes(65536)] * 100)
    assert 0 < len(piped.source.arriving) < 100
    assert piped.source.readable is None
    piped.target.drain()
    piped.source.let_arrive()
    assert len(piped.target.sent) == 100 * 65536


def test_little_of_what_is_held_is_given_to_a_receiver_at_a_time() -> None:
    piped = Piped(Sizing())
    assert isinstance(piped.target, Sizing)
    piped.target.room = 0
    piped.source.arrive(*[bytes(65536)] * 40)
    piped.target.drain(1000)
    piped.target.drain()
    assert len(piped.target.sent) == 40 * 65536
    assert max(piped.target.sizes) == 1 << 18


def test_a_source_that_breaks_ends_it_once_all_is_sent() -> None:
    piped = Piped()
    piped.target.room = 3
    piped.source.arrive(b"hello")
    piped.source.break_off()
    assert piped.ends == 0
    piped.target.drain()
    assert (bytes(piped.target.sent), piped.ends, piped.broke) == (b"HELLO", 1, True)


def test_a_target_that_breaks_ends_it_once_and_the_source_is_read_on() -> None:
    piped = Piped()
    piped.target.refuses = True
    piped.source.arrive(b"hello ", b"world")
    assert (piped.ends, piped.broke, piped.seen) == (1, False, [b"hello ", b"world"])
    piped.source.end()
    assert (piped.ends, piped.source.readable, piped.target.writable) == (1, None, None)
    assert "end" not in piped.target.calls
