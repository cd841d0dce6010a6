import asyncio
import threading
from collections.abc import Iterator

import pytest

from barnabas.runtime.loops.caller_loop import CallerLoop
from barnabas.runtime.loops.loop_keeper import LoopKeeper

SECONDS = 20.0


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


def test_the_loop_goes_on_while_the_caller_is_away(loop: asyncio.AbstractEventLoop) -> None:
    called, ran_on = threading.Event(), []

    async def work() -> None:
        ran_on.append(threading.current_thread())
        await asyncio.sleep(0)

    keeper = LoopKeeper("of a test", loop, work, 0.001)
    with keeper:
        loop.call_soon(called.set)
    assert called.wait(SECONDS)
    keeper.stop()
    assert threading.current_thread() not in ran_on


@pytest.mark.parametrize("seconds", [0.001, 0.0], ids=["now_and_then", "without_a_rest"])
def test_it_steps_aside_at_once_and_never_runs_beside_the_caller(
    loop: asyncio.AbstractEventLoop, seconds: float
) -> None:
    began = threading.Event()
    inside = 0

    async def work() -> None:
        nonlocal inside
        inside += 1
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            inside -= 1

    keeper = LoopKeeper("of a test", loop, work, seconds)
    for _ in range(50):
        assert began.wait(SECONDS)
        with keeper:
            assert inside == 0
            began.clear()
            loop.run_until_complete(asyncio.sleep(0))
    keeper.stop()
    assert inside == 0


def test_a_callers_loop_is_kept_between_its_calls_and_ends_with_them() -> None:
    calls = CallerLoop("a test")
    beaten = threading.Event()

    async def beat() -> None:
        beaten.set()

    async def answer() -> int:
        return 42

    assert not calls.kept
    calls.keep(beat, 0.001)
    assert beaten.wait(SECONDS)
    assert calls.run(answer()) == 42
    with calls.held:
        beaten.clear()
        assert not beaten.wait(0.05), "it ran while the caller held the loop"
    assert beaten.wait(SECONDS)
    calls.close()
    assert calls.closed
