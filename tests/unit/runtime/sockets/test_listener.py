"""Accepting where the process may not have more descriptors: a pause, not a spin, and then on."""

import errno
import os
import socket
from collections.abc import Callable
from contextlib import closing

import pytest

from barnabas.ports import Channel
from barnabas.runtime.sockets.listener import SocketListener
from tests.unit.runtime.manual_timers import ManualTimer, ManualTimers


class Readiness:
    """An event source whose descriptors are ready when a test says so."""

    def __init__(self) -> None:
        self.readers: dict[int, Callable[[], object]] = {}
        self.timers = ManualTimers()

    def add_reader(self, fd: int, callback: Callable[[], object], /) -> None:
        self.readers[fd] = callback

    def remove_reader(self, fd: int, /) -> bool:
        return self.readers.pop(fd, None) is not None

    def add_writer(self, fd: int, callback: Callable[[], object], /) -> None:
        raise NotImplementedError

    def remove_writer(self, fd: int, /) -> bool:
        return False

    def call_soon(self, callback: Callable[[], object], /) -> None:
        raise NotImplementedError

    def call_later(self, delay: float, callback: Callable[[], object], /) -> ManualTimer:
        return self.timers.after(delay, lambda: (callback(), None)[1])

    def call_soon_threadsafe(self, callback: Callable[[], object], /) -> None:
        raise NotImplementedError


class Scarce(socket.socket):
    """A listening socket whose process has no descriptor left for a while."""

    code = 0
    asked = 0

    def accept(self) -> tuple[socket.socket, object]:
        self.asked += 1
        if self.code:
            raise OSError(self.code, os.strerror(self.code))
        return super().accept()


def scarce_listener() -> Scarce:
    listening = Scarce()
    listening.settimeout(0)
    listening.bind(("127.0.0.1", 0))
    listening.listen(4)
    return listening


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE])
def test_without_descriptors_accepting_pauses_and_goes_on(
    code: int, caplog: pytest.LogCaptureFixture
) -> None:
    source, accepted = Readiness(), list[Channel]()
    listening = scarce_listener()
    listener = SocketListener(source, [listening], accepted.append)
    with closing(listener), socket.create_connection(listener.address):
        listening.code = code
        source.readers[listening.fileno()]()
        assert (listening.asked, accepted, source.readers) == (1, [], {})
        assert [record.levelname for record in caplog.records] == ["ERROR"]
        listening.code = 0
        source.timers.advance(0.5)
        source.readers[listening.fileno()]()
        assert len(accepted) == 1
        accepted[0].close()


def test_connections_leave_the_last_descriptors_to_files(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source, accepted = Readiness(), list[Channel]()
    listening = scarce_listener()
    monkeypatch.setattr(
        "barnabas.runtime.sockets.listener.first_reserved", lambda: listening.fileno() + 1
    )
    listener = SocketListener(source, [listening], accepted.append)
    with closing(listener), socket.create_connection(listener.address):
        source.readers[listening.fileno()]()
        assert (accepted, source.readers) == ([], {})
        assert "`ulimit -n`" in str(vars(caplog.records[0])["error"])
        source.timers.advance(0.5)
        assert list(source.readers) == [listening.fileno()]


def test_a_listener_that_closes_while_it_pauses_stays_closed() -> None:
    source = Readiness()
    listening = scarce_listener()
    listening.code = errno.EMFILE
    listener = SocketListener(source, [listening], lambda _: None)
    source.readers[listening.fileno()]()
    listener.close()
    source.timers.advance(0.5)
    assert not source.readers


def test_a_peer_that_left_before_it_was_accepted_costs_nobody_else_a_thing() -> None:
    source, accepted = Readiness(), list[Channel]()
    listening = scarce_listener()
    listener = SocketListener(source, [listening], accepted.append)
    with closing(listener), socket.create_connection(listener.address):
        listening.code = errno.ECONNABORTED
        source.readers[listening.fileno()]()
        assert listening.asked > 1  # it asked for the next one
        listening.code = 0
        source.readers[listening.fileno()]()
        assert len(accepted) == 1
        accepted[0].close()
