"""What a start waits for: woken, in time or not, cancelled by a thread or by a signal in the midst of it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from barnabas.errors import StartCancelled
from barnabas.runtime.registries.start_waits import StartWaits
from tests.waiting import wait


@pytest.fixture
def waits() -> Iterator[StartWaits]:
    made = StartWaits()
    with made.of_this_thread():
        yield made


def beside(waits: StartWaits, act: Callable[[], object]) -> threading.Thread:
    """A thread that does something once this one waits."""

    def run() -> None:
        wait(lambda: waits._is_waiting)
        act()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_it_looks_again_when_it_is_woken_and_only_then(waits: StartWaits) -> None:
    looks = iter([False, True])
    thread = beside(waits, waits.wake)
    assert waits.until(lambda: next(looks), "the sun")
    thread.join()


def test_what_does_not_come_in_time_is_not_waited_for_longer(waits: StartWaits) -> None:
    assert not waits.until(lambda: False, "the sun", 0.01)
    assert not waits.until(lambda: False, "the sun", -1)


def test_another_thread_ends_it_and_all_that_follow(waits: StartWaits) -> None:
    answers: list[bool] = []
    thread = beside(waits, lambda: answers.append(waits.cancel()))
    with pytest.raises(StartCancelled, match="while it waited for the sun"):
        waits.until(lambda: False, "the sun")
    thread.join()
    with pytest.raises(StartCancelled, match="the moon"):
        waits.until(lambda: True, "the moon")
    assert answers == [True]


def test_a_signal_ends_it(waits: StartWaits) -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: waits.cancel())
    thread = beside(waits, lambda: os.kill(os.getpid(), signal.SIGUSR1))
    try:
        with pytest.raises(StartCancelled):
            waits.until(lambda: False, "the sun")
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)


def test_it_says_what_it_waits_for_and_when_that_came(
    waits: StartWaits, caplog: pytest.LogCaptureFixture
) -> None:
    def reported() -> bool:
        return any(each.message == "start waits" for each in caplog.records)

    def wake() -> None:
        wait(reported)
        waits.wake()

    thread = threading.Thread(target=wake)
    thread.start()
    assert waits.until(reported, "the sun")
    thread.join()
    assert [each.message for each in caplog.records] == ["start waits", "start goes on"]
    assert vars(caplog.records[0])["for"] == "the sun"


def is_this_threads(waits: StartWaits) -> bool:
    return waits.is_mine


def test_a_start_that_is_done_cannot_be_cancelled() -> None:
    waits = StartWaits()
    assert not is_this_threads(waits)
    with waits.of_this_thread():
        assert is_this_threads(waits)
        # When nothing had to be waited for any more.
        assert not waits.cancel()
    assert not is_this_threads(waits)
    assert not waits.is_cancelled
    waits.cancel()
    assert waits.until(lambda: True, "the sun")
