"""A thread that takes steps, pauses to hold a rate, and stops on request."""

import threading
import time
from collections.abc import Iterator

import pytest

from barnabas.errors import StorageError
from barnabas.runtime.worker import ThreadWork, ThreadWorker

UNLIMITED = float("inf")


@pytest.fixture
def worker() -> Iterator[ThreadWorker]:
    made = ThreadWorker()
    yield made
    made.close()


def finish(work: object) -> None:
    assert isinstance(work, ThreadWork)
    work._future.exception(timeout=60)


def test_steps_are_taken_in_order_on_another_thread(worker: ThreadWorker) -> None:
    seen: list[object] = []

    def steps() -> Iterator[int]:
        for number in range(3):
            seen.append((number, threading.current_thread() is threading.main_thread()))
            yield 1

    work = worker.begin(steps(), UNLIMITED)
    finish(work)
    assert work.poll()
    assert seen == [(0, False), (1, False), (2, False)]


def test_what_ends_it_is_raised_by_poll(worker: ThreadWorker) -> None:
    def steps() -> Iterator[int]:
        yield 1
        raise StorageError("the disk is full")

    work = worker.begin(steps(), UNLIMITED)
    finish(work)
    with pytest.raises(StorageError, match="the disk is full"):
        work.poll()


def test_cancel_ends_it_after_a_step_and_the_next_job_is_done(worker: ThreadWorker) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def endless() -> Iterator[int]:
        while True:
            begun.set()
            go_on.wait()
            yield 1

    work = worker.begin(endless(), UNLIMITED)
    begun.wait()
    assert not work.poll()
    threading.Timer(0.01, go_on.set).start()
    work.cancel()
    assert work.poll()
    after = worker.begin(iter([1]), UNLIMITED)
    finish(after)
    assert after.poll()


def test_cancel_does_not_wait_for_a_pause(worker: ThreadWorker) -> None:
    work = worker.begin(iter([10**9, 1]), 1.0)
    begun = time.monotonic()
    work.cancel()
    assert time.monotonic() - begun < 60


def test_a_rate_is_held(worker: ThreadWorker) -> None:
    begun = time.monotonic()
    finish(worker.begin(iter([10, 10, 10]), 300.0))
    assert time.monotonic() - begun >= 0.1
