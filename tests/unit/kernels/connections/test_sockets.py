"""Receives and sends of a non-blocking socket: what there is, nothing yet, the end, a broken stream."""

import socket
from collections.abc import Iterator

import pytest

from barnabas.kernels.connections import sockets

pytestmark = pytest.mark.kernels

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(0)
        yield ours, theirs


def receive(one: socket.socket, most: int = 100) -> bytes | int:
    """What is received, or the number that says why nothing is."""
    target = bytearray(most)
    count = sockets.receive(one.fileno(), memoryview(target))
    return bytes(target[:count]) if count > 0 else count


def test_what_is_there_is_received_as_far_as_there_is_room(pair: Pair) -> None:
    ours, theirs = pair
    theirs.sendall(b"hello")
    assert [receive(ours, 3), receive(ours, 3), receive(ours, 3)] == [b"hel", b"lo", -1]


def test_the_end_of_the_stream_is_no_bytes(pair: Pair) -> None:
    ours, theirs = pair
    theirs.sendall(b"hello")
    theirs.close()
    assert [receive(ours), receive(ours), receive(ours)] == [b"hello", 0, 0]


@pytest.mark.parametrize("data", [b"hello", bytearray(b"hello"), memoryview(b"_hello")[1:]])
def test_buffers_of_all_kinds_are_sent(pair: Pair, data: bytes | bytearray | memoryview) -> None:
    ours, theirs = pair
    assert sockets.send(ours.fileno(), data) == 5
    assert theirs.recv(100) == b"hello"


def test_only_what_there_is_room_for_is_sent(pair: Pair) -> None:
    ours, theirs = pair
    sent = 0
    while taken := sockets.send(ours.fileno(), bytes(100_000)):
        sent += taken
    got = 0
    while got < sent:
        got += len(theirs.recv(1 << 20))
    assert got == sent
    assert sockets.send(ours.fileno(), b"again") == 5


def test_a_broken_stream_is_an_error(pair: Pair) -> None:
    ours, theirs = pair
    theirs.close()
    with pytest.raises(BrokenPipeError):
        sockets.send(ours.fileno(), b"hello")


def test_no_socket_is_an_error() -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        sockets.receive(-1, memoryview(bytearray(1)))


def test_what_cannot_be_written_into_receives_nothing(pair: Pair) -> None:
    ours, theirs = pair
    theirs.sendall(b"hello")
    with pytest.raises((BufferError, TypeError)):
        sockets.receive(ours.fileno(), b"no room")
    assert receive(ours) == b"hello"
