import asyncio
import threading

import pytest

from barnabas.errors import LocalProtocolError, RequestTimeout
from barnabas.runtime.loops.portal import Portal


def test_calls_run_on_the_portals_thread() -> None:
    portal = Portal("it")

    async def where() -> threading.Thread:
        return threading.current_thread()

    try:
        assert portal.call(where()).name == "it"
        done = threading.Event()
        portal.post(done.set)
        assert done.wait(10)
    finally:
        portal.close()


def test_what_takes_too_long_is_cancelled() -> None:
    portal = Portal("it")
    cancelled = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    try:
        with pytest.raises(RequestTimeout, match=r"no result within 0\.01 s"):
            portal.call(wait(), 0.01)
        assert cancelled.wait(10)
    finally:
        portal.close()


def test_close_ends_the_thread_and_what_runs_on_it() -> None:
    portal = Portal("it")
    started = threading.Event()

    async def linger() -> None:
        started.set()
        await asyncio.sleep(60)

    tasks: list[asyncio.Task[None]] = []
    portal.post(lambda: tasks.append(portal.loop.create_task(linger())))
    assert started.wait(10)
    portal.close()
    portal.close()
    assert tasks[0].cancelled()
    with pytest.raises(LocalProtocolError, match="it is closed"):
        portal.call(linger())
