"""Receives and sends of a non-blocking socket: what there is, nothing yet, the end, a broken stream."""

import socket
from collections.abc import Iterator
from struct import pack

import pytest

from barnabas.kernels import sockets

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


@pytest.mark.parametrize(
    ("size", "rest", "is_one"),
    [
        (0, b"", True),
        (1, b"", False),
        (1, b"x", True),
        (2, b"x", False),
        (1, b"xy", False),
        (6, b"123456", True),
        (7, b"123456", False),
        (7, b"1234567", False),
        (-1, b"", False),
        (-2, b"x", False),
    ],
)
def test_what_is_just_one_frame_is_told(size: int, rest: bytes, *, is_one: bool) -> None:
    received = pack(">i", size) + rest
    scratch = memoryview(bytearray(received + b"what was there before"))
    found = sockets.one_frame(scratch, len(received), 10)
    assert (None if found is None else bytes(found)) == (rest if is_one else None)
    if found:
        scratch[4] = 0
        assert found[0] == 0  # It is a view.


@pytest.mark.parametrize("count", [-1, 0, 3, 6, 1 << 40])
def test_no_frame_is_found_beyond_what_there_is(count: int) -> None:
    assert sockets.one_frame(memoryview(pack(">i", 2) + b"x"), count, 1 << 40) is None
