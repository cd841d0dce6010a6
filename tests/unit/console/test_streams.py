"""Responses that go on for a while."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from barnabas.console import streams
from barnabas.console.streams import DownloadMemory, EndedEarly, LimitedResponse, StreamLimit


def test_bytes_that_do_not_fit_wait_and_any_number_fits_alone() -> None:
    async def hold() -> list[str]:
        held = DownloadMemory(100)
        order: list[str] = []

        async def taking(name: str, size: int, ended: asyncio.Event) -> None:
            async with held.taken(size):
                order.append(name)
                await ended.wait()

        ends = [asyncio.Event() for _ in range(3)]
        tasks = [
            asyncio.create_task(taking(name, size, end))
            for name, size, end in zip(("small", "huge", "tiny"), (60, 1000, 40), ends, strict=True)
        ]
        for number in (0, 2, 1):
            for _ in range(10):
                await asyncio.sleep(0)
            order.append(f"held {held.count}")
            ends[number].set()
        await asyncio.gather(*tasks)
        assert held.count == 0
        return order

    assert asyncio.run(hold()) == ["small", "tiny", "held 100", "held 40", "huge", "held 100"]


def test_a_charge_grows_if_there_is_room() -> None:
    async def hold() -> list[int]:
        held = DownloadMemory(100)
        async with held.taken(20) as one, held.taken(30) as other:
            assert one.grow(70)
            assert not other.grow(31)
            assert other.grow(10), "it never shrinks"
            counts = [held.count]
        async with held.taken(20) as alone:
            assert alone.grow(1000)
            counts.append(held.count)
        return [*counts, held.count]

    assert asyncio.run(hold()) == [100, 100, 0]


def test_a_browser_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_STALLED_S", 0.01)

    async def send() -> int:
        at_once = StreamLimit(1, "one too many")

        async def parts() -> AsyncIterator[bytes]:
            yield b"first"

        async def waiting(*_: Any) -> Any:
            await asyncio.Event().wait()

        with pytest.raises(EndedEarly, match="nothing was taken for"):
            await LimitedResponse(parts(), at_once, {})({"type": "http"}, waiting, waiting)
        return at_once.count

    assert asyncio.run(send()) == 0


def test_responses_are_ended_with_the_console_and_not_completed() -> None:
    async def send() -> list[Any]:
        at_once = StreamLimit(1, "one too many")
        sent: list[Any] = []
        begun = asyncio.Event()

        async def endless() -> AsyncIterator[bytes]:
            yield b"first"
            begun.set()
            await asyncio.Event().wait()

        async def receive() -> Any:
            await asyncio.Event().wait()

        async def sending(message: Any) -> None:
            sent.append(message)

        response = LimitedResponse(endless(), at_once, {})
        task = asyncio.create_task(response({"type": "http"}, receive, sending))
        await begun.wait()
        at_once.end()
        with pytest.raises(EndedEarly):
            await task
        assert at_once.count == 0
        return sent

    start, first = asyncio.run(send())
    assert start["type"] == "http.response.start"
    assert first["more_body"]
