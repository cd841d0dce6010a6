"""The real network on the loopback: listen, connect, bytes both ways, what fails and how."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from barnabas.errors import ConnectionFailed, ConnectionRefused
from barnabas.ports import Channel
from barnabas.runtime.event_loop import EventLoop
from barnabas.runtime.sockets.listener import SocketOptions, open_port
from barnabas.runtime.sockets.network import LoopNetwork


class Meeting:
    """An event loop that runs until a condition holds."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.network = LoopNetwork(self.loop)
        self.accepted: list[Channel] = []
        self.outcomes: list[Channel | Exception] = []

    def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.loop.call_later(0.001, self.loop.stop)
            self.loop.run_forever()


@pytest.fixture
def meeting() -> Iterator[Meeting]:
    meeting = Meeting()
    with contextlib.closing(meeting.loop):
        yield meeting
        for channel in (*meeting.accepted, *meeting.outcomes):
            if not isinstance(channel, Exception):
                channel.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", ""])
def test_bytes_go_both_ways(meeting: Meeting, host: str) -> None:
    listener = meeting.network.listen(host, 0, meeting.accepted.append)
    port = listener.address[1]
    assert port != 0
    meeting.network.connect("127.0.0.1", port, meeting.outcomes.append)
    meeting.until(lambda: bool(meeting.accepted and meeting.outcomes))
    listener.close()
    served, (client,) = meeting.accepted[0], meeting.outcomes
    assert not isinstance(client, Exception)
    target = memoryview(bytearray(10))
    assert served.receive_into(target) == -1
    assert client.send([b"over ", b"there"]) == 10
    ready: list[bool] = []
    served.on_readable(lambda: ready.append(True))
    meeting.until(lambda: bool(ready))
    assert served.receive_into(target) == 10
    assert bytes(target) == b"over there"
    client.close()
    ready.clear()
    meeting.until(lambda: bool(ready))
    assert served.receive_into(target) == 0


def test_a_taken_port_is_named(meeting: Meeting) -> None:
    listener = meeting.network.listen("127.0.0.1", 0, meeting.accepted.append)
    with pytest.raises(ConnectionFailed, match=str(listener.address[1])):
        meeting.network.listen("127.0.0.1", listener.address[1], meeting.accepted.append)
    listener.close()


def test_a_refused_connection_is_an_outcome(meeting: Meeting) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        meeting.network.connect("127.0.0.1", port, meeting.outcomes.append)
        meeting.until(lambda: bool(meeting.outcomes))
    assert isinstance(meeting.outcomes[0], ConnectionFailed)


@pytest.mark.parametrize("port", [-1, 65_536, 2**31 - 1])
def test_a_port_that_is_none_is_an_outcome(meeting: Meeting, port: int) -> None:
    meeting.network.connect("127.0.0.1", port, meeting.outcomes.append)
    meeting.until(lambda: bool(meeting.outcomes))
    (error,) = meeting.outcomes
    assert isinstance(error, ConnectionFailed)
    assert f"127.0.0.1:{port}" in str(error)


@pytest.mark.parametrize("code", [socket.EAI_NONAME, socket.EAI_AGAIN])
def test_a_name_that_nobody_knows_is_an_error_with_that_name(
    meeting: Meeting, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(code, "not found")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    meeting.network.connect("lokalhost", 9092, meeting.outcomes.append)
    meeting.until(lambda: bool(meeting.outcomes))
    (outcome,) = meeting.outcomes
    assert isinstance(outcome, ConnectionRefused)
    given = "cannot connect to lokalhost:9092: the name 'lokalhost' is unknown"
    assert str(outcome).startswith(given)


def test_a_name_that_cannot_be_one_is_unknown_too(meeting: Meeting) -> None:
    meeting.network.connect("a..b", 9092, meeting.outcomes.append)
    meeting.until(lambda: bool(meeting.outcomes))
    assert isinstance(meeting.outcomes[0], ConnectionRefused)


def test_where_no_thread_can_be_had_names_are_looked_up_all_the_same(
    meeting: Meeting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    listener = meeting.network.listen("localhost", 0, meeting.accepted.append)
    monkeypatch.setattr(threading.Thread, "start", refused)
    meeting.network.connect("localhost", listener.address[1], meeting.outcomes.append)
    meeting.until(lambda: bool(meeting.outcomes))
    listener.close()
    (client,) = meeting.outcomes
    assert not isinstance(client, Exception)


def test_who_gave_up_hears_nothing(meeting: Meeting) -> None:
    listener = meeting.network.listen("127.0.0.1", 0, meeting.accepted.append)
    give_up = meeting.network.connect("127.0.0.1", listener.address[1], meeting.outcomes.append)
    give_up()
    other: list[Channel | Exception] = []
    meeting.network.connect("127.0.0.1", listener.address[1], other.append)
    meeting.until(lambda: bool(other and meeting.accepted))
    listener.close()
    assert not meeting.outcomes
    meeting.outcomes += other


def test_event_loop_is_called_and_stopped_from_outside() -> None:
    loop = EventLoop()
    seen: list[str] = []
    loop.call(lambda: seen.append("called"))
    loop.timers.after(0, lambda: seen.append("timer"))
    loop.timers.after(0.001, loop.stop)
    loop.run()
    assert sorted(seen) == ["called", "timer"]


def test_accepted_sockets_have_the_buffers_that_the_port_was_opened_with() -> None:
    asked = SocketOptions(backlog=2, send_buffer=40_000, receive_buffer=50_000)
    (listening,) = open_port("127.0.0.1", 0, asked)
    with listening, socket.create_connection(listening.getsockname()):
        listening.settimeout(20)
        accepted, _ = listening.accept()
        with accepted:
            # Linux counts its own bookkeeping in, and so doubles what it was asked for.
            for option, size in ((socket.SO_SNDBUF, 40_000), (socket.SO_RCVBUF, 50_000)):
                assert accepted.getsockopt(socket.SOL_SOCKET, option) in (size, 2 * size)
