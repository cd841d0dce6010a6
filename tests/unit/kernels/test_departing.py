"""Replies that leave together: what a kernel sends, and what it leaves to the connections."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from struct import pack

import pytest

from barnabas import kernels
from barnabas.errors import ConnectionFailed
from barnabas.kernels.departing import Sender
from barnabas.runtime.connections.connection import Connection
from barnabas.runtime.connections.departures import Departures
from barnabas.runtime.connections.memory import ConnectionMemory
from barnabas.runtime.connections.outbox import Outbox
from barnabas.runtime.loops.poll_loop import PollLoop
from barnabas.runtime.sockets.channel import SocketChannel
from tests.unit.runtime.manual_timers import ManualTimers

pytestmark = pytest.mark.kernels

COMPILED = kernels.implementation == "compiled"
FRAME = pack(">i", 5) + b"hello"


class Sides:
    """Pairs of sockets, whose near sides are channels with an outbox each."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.loop = PollLoop()
        stack.callback(self.loop.close)
        self.memory = ConnectionMemory(1 << 20)

    def pair(self) -> tuple[SocketChannel, socket.socket]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            far = self._stack.enter_context(socket.create_connection(server.getsockname()))
            near, _ = server.accept()
        far.settimeout(10)
        channel = SocketChannel(self.loop, near)
        self._stack.callback(channel.close)
        return channel, far

    def outbox(self, channel: SocketChannel, *sends: bytes) -> Outbox:
        outbox = Outbox(self.memory, channel.fileno(), lambda: None, lambda: None)
        for one in sends:
            outbox.add(one)
        return outbox


@pytest.fixture
def sides() -> Iterator[Sides]:
    with ExitStack() as stack:
        yield Sides(stack)


def received(far: socket.socket, size: int) -> bytes:
    """Just so many bytes."""
    found = bytearray()
    while len(found) < size:
        found += far.recv(size - len(found)) or pytest.fail(f"the end after {bytes(found)!r}")
    return bytes(found)


def is_silent(far: socket.socket) -> bool:
    """Whether nothing has come, nor the end."""
    far.settimeout(0)
    try:
        far.recv(1)
    except BlockingIOError:
        return True
    finally:
        far.settimeout(10)
    return False


def test_each_leaves_on_its_own_connection(sides: Sides) -> None:
    pairs = [sides.pair() for _ in range(20)]
    outboxes = [sides.outbox(near, b"reply %d" % at) for at, (near, _) in enumerate(pairs)]
    left = Sender(Outbox).send(outboxes)
    assert len(left) == (0 if COMPILED else 20)
    for outbox, (near, _) in zip(outboxes, pairs, strict=True):
        assert outbox in left or (outbox.size, outbox.only) == (0, None)
        assert outbox.flush(near)
    for at, (_, far) in enumerate(pairs):
        assert received(far, len(b"reply %d" % at)) == b"reply %d" % at
        assert is_silent(far)


def test_what_there_is_no_room_for_is_left(sides: Sides) -> None:
    near, far = sides.pair()
    outbox, sent = sides.outbox(near), bytearray()
    while not outbox.size:
        reply = bytes([len(sent) % 251]) * 60_001
        outbox.add(reply)
        sent += reply
        for one in Sender(Outbox).send([outbox]):
            one.flush(near)
    got = received(far, len(sent) - outbox.size)
    while not outbox.flush(near):
        got += received(far, 1)
    assert got + received(far, len(sent) - len(got)) == sent


@pytest.mark.parametrize("sizes", [(), (3, 3), (65537,)])
def test_what_is_not_one_small_reply_is_left(sides: Sides, sizes: tuple[int, ...]) -> None:
    near, far = sides.pair()
    outbox = sides.outbox(near, *map(bytes, sizes))
    assert Sender(Outbox).send([outbox]) == [outbox]
    assert is_silent(far)
    assert outbox.size == sum(sizes)


def test_who_broke_off_is_left_and_the_others_are_not_hurt(sides: Sides) -> None:
    broken, far = sides.pair()
    whole, other = sides.pair()
    far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
    far.close()
    first, second = sides.outbox(broken, b"reply"), sides.outbox(whole, b"reply")
    left = Sender(Outbox).send([first, second])
    assert first in left
    with pytest.raises(ConnectionFailed):
        first.flush(broken)
    assert second.flush(whole)
    assert received(other, 5) == b"reply"


def test_anything_else_is_left() -> None:
    assert Sender(Outbox).send([1, None]) == [1, None]


class Hello:
    """Answers a frame with itself, and does one thing more."""

    def __init__(self, loop: PollLoop, connection: Connection, then: str) -> None:
        self._loop = loop
        self._connection = connection
        self._then = then
        connection.serve(self)

    def on_frame(self, frame: memoryview) -> bool:
        self._connection.send(pack(">i", len(frame)) + bytes(frame))
        return True

    def may_take(self, frame: memoryview) -> bool:
        return True

    def on_event_end(self) -> None:
        if self._then:
            getattr(self._connection, self._then)()
        self._loop.stop()

    def on_closed(self) -> None:
        """It is."""


class Served:
    """A connection that has handled a frame; the turn is not over."""

    def __init__(self, sides: Sides, then: str = "") -> None:
        near, self.far = sides.pair()
        self.fd = near.fileno()
        self.timers = ManualTimers()
        self.departures = Departures(self.timers, lambda: self.timers.now)
        self.connection = Connection(near, sides.memory, self.departures, max_frame_bytes=1000)
        Hello(sides.loop, self.connection, then)
        self.far.sendall(FRAME)
        sides.loop.run()

    def send_in_a_turn(self, reply: bytes) -> None:
        """A reply that the event of another connection brings."""
        self.departures.present = object()
        self.connection.send(reply)
        self.departures.present = None


def test_the_end_of_a_turn_sends_what_there_is(sides: Sides) -> None:
    served = Served(sides)
    assert is_silent(served.far)
    served.timers.run_soon()
    assert received(served.far, len(FRAME)) == FRAME
    assert is_silent(served.far)


def test_one_that_is_to_close_closes_once_its_reply_is_out(sides: Sides) -> None:
    served = Served(sides, "finish")
    served.timers.run_soon()
    assert received(served.far, len(FRAME)) == FRAME
    assert served.far.recv(1) == b""


def test_who_got_the_descriptor_of_one_that_closed_gets_no_reply_of_it(sides: Sides) -> None:
    served = Served(sides, "close")
    ours, theirs = socket.socketpair()
    with ours, theirs, ExitStack() as stack:
        if served.fd not in {ours.fileno(), theirs.fileno()}:
            os.dup2(ours.fileno(), served.fd)
            stack.callback(os.close, served.fd)
        served.send_in_a_turn(b"late")
        served.timers.run_soon()
        assert is_silent(ours)
        assert is_silent(theirs)
    assert served.far.recv(1) == b""


def test_what_there_is_no_room_for_leaves_when_there_is(sides: Sides) -> None:
    """More than any socket holds, of which the first too much is cut by the kernel."""
    served, got = Served(sides), bytearray()
    replies = [FRAME, *(bytes([number % 251]) * 60_001 for number in range(500)), b"the last one"]
    for reply in replies[1:]:
        served.send_in_a_turn(reply)
        served.timers.run_soon()
    sent = b"".join(replies)
    while len(got) < len(sent):
        sides.loop.call_later(0, sides.loop.stop)
        sides.loop.run()
        got += served.far.recv(1 << 20)
    assert got == sent
    assert is_silent(served.far)
