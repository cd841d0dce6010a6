"""A channel whose reader may be late: pauses, writers and the end while it is in the slow lane."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from barnabas.errors import ConnectionFailed
from barnabas.runtime.connections.batched_polling import BatchedPolling
from barnabas.runtime.loops.poll_loop import PollLoop
from barnabas.runtime.sockets.channel import SocketChannel


class Slow:
    """One channel in a lane for which one is enough; what it receives is noted."""

    def __init__(self) -> None:
        self.loop = PollLoop()
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.peer = socket.create_connection(server.getsockname())
            ours, _ = server.accept()
        self._ours = ours
        self.channel = SocketChannel(self.loop, ours, BatchedPolling(self.loop, enough=1))
        self.received: list[bytes] = []
        self.listen(late=True)

    def close(self) -> None:
        self.channel.close()
        self.peer.close()
        self.loop.close()

    def listen(self, *, late: bool) -> None:
        self.channel.on_readable(self._receive, late=late)

    def is_late(self) -> bool:
        """Whether the loop does not watch it itself."""
        watched = self.loop.remove_reader(self._ours.fileno())
        if watched:
            self.loop.add_reader(self._ours.fileno(), self._receive)
        return not watched

    def _receive(self) -> None:
        target = memoryview(bytearray(100))
        count = self.channel.receive_into(target)
        self.received.append(bytes(target[:count]))
        self.loop.stop()


@pytest.fixture
def slow() -> Iterator[Slow]:
    with closing(Slow()) as slow:
        yield slow


def test_it_is_late_until_it_may_not_be(slow: Slow) -> None:
    assert slow.is_late()
    slow.peer.send(b"x")
    slow.loop.run()
    slow.listen(late=False)
    assert not slow.is_late()
    slow.peer.send(b"y")
    slow.loop.run()
    assert slow.received == [b"x", b"y"]


def test_what_comes_during_a_pause_comes_after_it(slow: Slow) -> None:
    slow.channel.on_readable(None)
    slow.peer.send(b"x")
    slow.loop.call_later(0, slow.loop.stop)
    slow.loop.run()
    assert slow.received == []
    slow.listen(late=True)
    assert slow.is_late()
    slow.loop.run()
    assert slow.received == [b"x"]


def test_its_writer_is_as_prompt_as_any(slow: Slow) -> None:
    slow.channel.on_writable(slow.loop.stop)
    slow.loop.run()
    slow.channel.on_writable(None)
    assert slow.is_late()
    slow.peer.close()
    slow.loop.run()
    assert slow.received == [b""]


def test_once_closed_nothing_is_left_of_it(slow: Slow) -> None:
    slow.peer.send(b"x")
    slow.channel.close()
    assert slow.loop.waiting_timers <= 1  # the look, called off
    slow.loop.call_later(0, slow.loop.stop)
    slow.loop.run()
    assert slow.received == []


def test_once_closed_its_descriptor_is_anothers(slow: Slow) -> None:
    slow.channel.close()
    ours, theirs = socket.socketpair()  # One of them has it now.
    with ours, theirs:
        theirs.sendall(b"x")
        ours.sendall(b"y")
        with pytest.raises(ConnectionFailed, match="Bad file descriptor"):
            slow.channel.receive_into(memoryview(bytearray(9)))
        with pytest.raises(ConnectionFailed, match="Bad file descriptor"):
            slow.channel.send_one(b"z")
        assert (ours.recv(9), theirs.recv(9)) == (b"x", b"y")


def test_what_is_large_is_received_and_sent_as_well(slow: Slow) -> None:
    target, sent = memoryview(bytearray(1 << 20)), 0
    assert slow.channel.receive_into(target) == -1
    slow.peer.sendall(b"x" * 1000)
    assert slow.channel.receive_into(target) == 1000
    while sent < 1 << 19:
        sent += slow.channel.send_one(b"y" * (1 << 19))
        slow.peer.recv(1 << 20)
    while slow.channel.send_one(b"y" * (1 << 19)):
        pass
    assert slow.channel.send_one(b"y") == slow.channel.send_one(b"y" * (1 << 19)) == 0


def test_buffers_leave_in_their_order_until_there_is_no_room(slow: Slow) -> None:
    assert slow.channel.send((b"ab", b"", memoryview(b"cd")), more=True) == 4
    assert slow.channel.send((b"e",)) == 1
    assert slow.peer.recv(5, socket.MSG_WAITALL) == b"abcde"
    while slow.channel.send((b"y" * (1 << 18), b"z" * (1 << 18))):
        pass
    assert slow.channel.send((b"y", b"z")) == 0
