"""An answer that pages share."""

import asyncio

import pytest

from barnabas.console.cluster.cached_answer import CachedAnswer
from barnabas.errors import RequestTimeout


class Watch:
    """A clock that stands, and a question whose answers are numbers; each takes `takes` seconds."""

    def __init__(self) -> None:
        self.now = 100.0
        self.asked = 0
        self.takes = 0.0
        self.fails = False

    def monotonic(self) -> float:
        return self.now

    def time_ms(self) -> int:
        return 0

    def time_ns(self) -> int:
        return 0

    async def answer(self) -> int:
        self.asked += 1
        number = self.asked
        self.now += self.takes
        await asyncio.sleep(0)
        if self.fails:
            raise RequestTimeout("no broker answers")
        return number


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_those_who_ask_together_share_one_answer() -> None:
    async def run() -> None:
        watch = Watch()
        kept = CachedAnswer(watch.answer, watch, 3.0)
        assert set(await asyncio.gather(kept.get(), kept.get(), kept.get())) == {1}

    asyncio.run(run())


def test_a_quick_answer_is_asked_for_again_soon() -> None:
    async def run() -> None:
        watch = Watch()
        kept = CachedAnswer(watch.answer, watch, 3.0)
        assert await kept.get() == 1
        watch.now += 1
        assert await kept.get() == 2

    asyncio.run(run())


def test_nobody_waits_for_a_slow_one_unless_it_is_too_old() -> None:
    async def run() -> None:
        watch = Watch()
        watch.takes = 0.5
        kept = CachedAnswer(watch.answer, watch, 3.0)
        assert await kept.get() == 1
        watch.now += 5
        assert await kept.get() == 1
        await settle()
        assert await kept.get() == 2
        watch.now += 60
        assert await kept.get() == 3

    asyncio.run(run())


def test_after_a_change_an_answer_that_was_under_way_is_no_answer() -> None:
    async def run() -> None:
        watch = Watch()
        kept = CachedAnswer(watch.answer, watch, 3.0)
        kept.begin()
        await asyncio.sleep(0)
        kept.forget()
        assert await kept.get() == 2
        assert await kept.get() == 2

    asyncio.run(run())


def test_an_error_is_for_the_page_that_waits_and_is_not_kept() -> None:
    async def run() -> None:
        watch = Watch()
        watch.fails = True
        kept = CachedAnswer(watch.answer, watch, 3.0)
        kept.begin()
        await settle()
        with pytest.raises(RequestTimeout):
            await kept.get()
        watch.fails = False
        assert await kept.get() == 3

    asyncio.run(run())


def test_who_cannot_wait_gets_none_and_does_not_end_the_question() -> None:
    async def run() -> None:
        gate = asyncio.Event()
        watch = Watch()

        async def answer() -> int:
            await gate.wait()
            return await watch.answer()

        kept = CachedAnswer(answer, watch, 3.0)
        assert await kept.soon(0) is None
        assert await kept.soon(0) is None
        gate.set()
        assert await kept.get() == 1
        assert await kept.soon(60) == 1
        assert watch.asked == 1

    asyncio.run(run())


def test_an_error_that_comes_soon_is_raised() -> None:
    async def run() -> None:
        watch = Watch()
        watch.fails = True
        with pytest.raises(RequestTimeout):
            await CachedAnswer(watch.answer, watch, 3.0).soon(60)

    asyncio.run(run())
