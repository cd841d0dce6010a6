import asyncio
import threading

import pytest

from barnabas.errors import LocalProtocolError, WakeupError
from barnabas.runtime.caller_loop import CallerLoop


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
