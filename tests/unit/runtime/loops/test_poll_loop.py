"""The broker's loop, over epoll and what other systems have: order, deadlines, signals."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import pytest

from barnabas.runtime.loops import poll_loop
from barnabas.runtime.loops.poll_loop import PollLoop
from barnabas.runtime.loops.poller import Poller, SelectorPoller, best_poller


@pytest.fixture(params=[best_poller, SelectorPoller])
def loop(request: pytest.FixtureRequest) -> Iterator[PollLoop]:
    make: Callable[[], Poller] = request.param
    with closing(PollLoop(make())) as loop:
        yield loop


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    with one, other:
        one.settimeout(0)
        other.settimeout(0)
        yield one, other


def test_readers_and_writers_of_one_descriptor_come_and_go(
    loop: PollLoop, pair: tuple[socket.socket, socket.socket]
) -> None:
    one, other = pair
    seen: list[str] = []

    def on_writable() -> None:
        seen.append("writable")
        loop.remove_writer(one.fileno())
        other.send(b"x")

    def on_readable() -> None:
        seen.append(f"read {one.recv(10)!r}")
        loop.remove_reader(one.fileno())
        other.send(b"y")  # which nobody watches for any more
        loop.call_later(0.001, loop.stop)

    loop.add_reader(one.fileno(), lambda: seen.append("replaced"))
    loop.add_reader(one.fileno(), on_readable)
    loop.add_writer(one.fileno(), on_writable)
    loop.run()
    assert seen == ["writable", "read b'x'"]
    assert not loop.remove_reader(one.fileno())
    assert not loop.remove_writer(one.fileno())


def test_a_hang_up_is_readable(loop: PollLoop, pair: tuple[socket.socket, socket.socket]) -> None:
    one, other = pair

    def on_readable() -> None:
        loop.remove_reader(one.fileno())
        loop.stop()

    loop.add_reader(one.fileno(), on_readable)
    other.close()
    loop.run()
    assert one.recv(1) == b""


def test_who_was_removed_by_another_callback_of_the_turn_is_not_called(loop: PollLoop) -> None:
    pairs = [socket.socketpair() for _ in range(2)]
    called: list[int] = []

    def only_me(me: int) -> None:
        called.append(me)
        for one, _ in pairs:
            loop.remove_reader(one.fileno())
        loop.stop()

    for number, (one, other) in enumerate(pairs):
        loop.add_reader(one.fileno(), partial(only_me, number))
        other.send(b"x")
    loop.run()
    assert len(called) == 1
    for one, other in pairs:
        one.close()
        other.close()


def test_deadlines_come_in_order_and_not_if_called_off(
    loop: PollLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    now = time.monotonic()
    with monkeypatch.context() as patch:
        patch.setattr(poll_loop, "monotonic", lambda: now)
        loop.call_later(0.004, loop.stop)
        loop.call_later(0.003, lambda: seen.append(3))
        loop.call_later(0.002, lambda: seen.append(2)).cancel()
        loop.call_later(0.001, lambda: seen.append(1))
        loop.call_later(-1, lambda: seen.append(0))
    loop.run()
    assert seen == [0, 1, 3]


def test_many_deadlines_at_once_leave_time_for_descriptors(
    loop: PollLoop, pair: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    seen: list[int | str] = []
    monkeypatch.setattr(poll_loop, "monotonic", lambda: now)

    def take_long(number: int) -> None:
        nonlocal now
        now += 0.006
        seen.append(number)

    def read() -> None:
        loop.remove_reader(pair[0].fileno())
        seen.append("read")

    def begin() -> None:
        # Behind the look at the descriptors of this turn.
        pair[1].send(b"x")
        loop.add_reader(pair[0].fileno(), read)

    loop.call_later(0, begin)
    for number in range(4):
        loop.call_later(0, partial(take_long, number))
    loop.call_later(0, loop.stop)
    loop.run()
    assert seen == [0, 1, "read", 2, 3]


def test_deadlines_called_off_by_the_thousand_are_let_go_of(loop: PollLoop) -> None:
    late: list[int] = []
    kept = [loop.call_later(3600, lambda: late.append(1)) for _ in range(10)]
    for _ in range(5000):
        timer = loop.call_later(3600, lambda: late.append(2))
        timer.cancel()
        timer.cancel()  # counts once
    assert loop.waiting_timers < 500
    loop.call_later(0, loop.stop)
    loop.run()
    assert not late
    assert all(timer.callback is not None for timer in kept)


def test_soon_is_after_this_turn_and_before_waiting(loop: PollLoop) -> None:
    seen: list[str] = []

    def first() -> None:
        loop.call_soon(lambda: seen.append("next turn"))
        loop.call_soon(loop.stop)
        seen.append("first")

    loop.call_soon(first)
    loop.call_soon(lambda: seen.append("second"))
    loop.run()
    assert seen == ["first", "second", "next turn"]


def test_another_thread_wakes_a_loop_that_waits(loop: PollLoop) -> None:
    seen: list[int] = []
    loops_thread = threading.get_ident()

    def from_outside() -> None:
        for number in range(1000):  # more than the pipe of wake-ups may hold
            loop.call_soon_threadsafe(partial(seen.append, number))
        loop.call_soon_threadsafe(lambda: seen.append(threading.get_ident()))
        loop.stop()

    caller = threading.Thread(target=from_outside)
    caller.start()
    loop.run()
    caller.join()
    assert seen == [*range(1000), loops_thread]


def test_a_callback_that_fails_is_logged_and_the_others_go_on(
    loop: PollLoop, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> None:
        raise ValueError("nobody thought of this")

    loop.call_soon(fails)
    loop.call_later(0, fails)
    loop.call_later(0.001, loop.stop)
    loop.run()
    assert [record.exc_info is not None for record in caplog.records] == [True, True]


def test_signals_wake_it_and_are_the_old_ones_again_afterwards(loop: PollLoop) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    seen: list[str] = []

    def on_signal() -> None:
        seen.append("signal")
        loop.stop()

    loop.on_signal(signal.SIGUSR1, on_signal)
    loop.call_soon(lambda: os.kill(os.getpid(), signal.SIGUSR1))
    loop.run()
    assert seen == ["signal"]
    loop.close()
    assert signal.getsignal(signal.SIGUSR1) == before


def test_before_it_runs_a_signal_cancels_or_does_what_it_did(loop: PollLoop) -> None:
    seen: list[str] = []
    answers = [True, False]

    def cancel() -> bool:
        seen.append("cancel")
        return answers.pop(0)

    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append("as before"))
    try:
        loop.on_early_signal(signal.SIGUSR1, cancel)
        os.kill(os.getpid(), signal.SIGUSR1)
        assert seen == ["cancel"]
        os.kill(os.getpid(), signal.SIGUSR1)
        assert seen == ["cancel", "cancel", "as before"]
        loop.on_early_signal(signal.SIGUSR1, cancel)
        loop.on_signal(signal.SIGUSR1, lambda: seen.append("loop"))
        os.kill(os.getpid(), signal.SIGUSR1)
        assert seen == ["cancel", "cancel", "as before"], "the loop does not run yet"
        loop.close()
        os.kill(os.getpid(), signal.SIGUSR1)
        assert seen == ["cancel", "cancel", "as before", "as before"]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_closed_loop_says_so(loop: PollLoop) -> None:
    loop.close()
    loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon_threadsafe(lambda: None)
