import asyncio
import gc
import signal
import threading
import weakref

import pytest

from barnabas.errors import LocalProtocolError, WakeupError
from barnabas.runtime.loops.caller_loop import CallerLoop


async def plus_one(number: int) -> int:
    await asyncio.sleep(0)
    return number + 1


def test_runs_on_the_callers_thread() -> None:
    loop = CallerLoop("it")
    assert loop.run(plus_one(1)) == 2
    assert loop.run(plus_one(2)) == 3
    loop.close()


def test_runs_inside_another_running_loop() -> None:
    loop = CallerLoop("it")

    async def cell() -> int:
        found = loop.run(plus_one(1))
        await asyncio.sleep(0)
        return found

    assert asyncio.run(cell()) == 2
    loop.close()


def test_a_result_is_freed_with_its_last_reference() -> None:
    """A result may be a response of many MiB: waiting for the search for cycles would pile them up."""
    loop = CallerLoop("it")

    async def result() -> set[int]:
        return {1}

    gc.disable()
    try:
        found = loop.run(result())
        gone = weakref.ref(found)
        del found
        assert gone() is None
    finally:
        gc.enable()
    loop.close()


def test_an_error_comes_out_and_leaves_the_loop_usable() -> None:
    loop = CallerLoop("it")

    async def fail() -> None:
        raise ValueError("so")

    with pytest.raises(ValueError, match="so"):
        loop.run(fail())
    assert loop.run(plus_one(1)) == 2
    loop.close()


def test_an_interrupt_cancels_what_was_run() -> None:
    loop = CallerLoop("it")
    cancelled = []

    async def wait() -> None:
        loop.loop.call_soon(interrupt)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loop.run(wait())
    assert cancelled == [True]
    loop.close()


def test_a_signal_amid_the_loops_own_work_cancels_the_call_and_leaves_the_loop_usable() -> None:
    loop = CallerLoop("it")
    ended = []

    async def wait() -> None:
        loop.loop.call_soon(signal.raise_signal, signal.SIGINT)
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    for count in range(3):
        with pytest.raises(KeyboardInterrupt):
            loop.run(wait())
        assert len(ended) == count + 1
    assert loop.run(plus_one(1)) == 2
    loop.close()


def test_a_handler_that_only_takes_note_leaves_the_call_alone() -> None:
    loop = CallerLoop("it")
    noted = asyncio.Event()
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: noted.set())

    async def noticed() -> int:
        signal.raise_signal(signal.SIGTERM)
        await noted.wait()
        return 42

    try:
        assert loop.run(noticed()) == 42
    finally:
        signal.signal(signal.SIGTERM, before)
    loop.close()


def test_a_call_that_does_not_end_is_left_by_the_second_interrupt() -> None:
    loop = CallerLoop("it")
    cancelled: list[bool] = []

    async def stay() -> None:
        signal.raise_signal(signal.SIGINT)
        while len(cancelled) < 3:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if not cancelled:
                    loop.loop.call_later(1.5, signal.raise_signal, signal.SIGINT)
                cancelled.append(True)

    with pytest.raises(KeyboardInterrupt):
        loop.run(stay())
    assert loop.broken
    with pytest.raises(LocalProtocolError, match="it was interrupted amid its own work"):
        loop.run(plus_one(1))
    loop.close()
    assert loop.closed


def test_after_close_it_refuses() -> None:
    loop = CallerLoop("it")
    loop.close()
    loop.close()
    assert loop.closed
    with pytest.raises(LocalProtocolError, match="it is closed"):
        loop.run(plus_one(1))


def test_a_call_that_waits_is_woken_by_another_thread() -> None:
    loop = CallerLoop("it")
    waits = threading.Event()

    async def wait() -> None:
        waits.set()
        await asyncio.sleep(60)

    def wake() -> None:
        waits.wait(60)
        loop.wake()

    other = threading.Thread(target=wake)
    other.start()
    with pytest.raises(WakeupError, match=r"it was woken by wakeup\(\)"):
        loop.run(wait())
    other.join()
    assert loop.run(plus_one(1)) == 2
    loop.close()


def test_a_wake_before_a_call_ends_that_one_alone() -> None:
    loop = CallerLoop("it")
    loop.wake()
    assert loop.run(plus_one(1), wakeable=False) == 2
    with pytest.raises(WakeupError):
        loop.run(plus_one(1))
    assert loop.run(plus_one(1)) == 2
    loop.close()
    loop.wake()
