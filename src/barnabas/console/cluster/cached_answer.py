"""CachedAnswer: a response that pages share for a few seconds; no page waits for a slow one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

from barnabas.ports import Clock

_Answer = TypeVar("_Answer")

_SLOW_S: Final = 0.15
"""An answer that took longer than this is refreshed in the background."""

_QUICK_FRESH_S: Final = 0.2
"""How old a quick answer may be: a page must show a change just made in a terminal."""

_OLDEST_S: Final = 30.0
"""An older answer is never shown."""


class CachedAnswer(Generic[_Answer]):
    """Asks again when the answer is older than `fresh_s` seconds, or at once if it is quick to come.

    Pages that ask meanwhile share the answer.
    """

    def __init__(self, ask: Callable[[], Awaitable[_Answer]], clock: Clock, fresh_s: float) -> None:
        self._ask = ask
        self._clock = clock
        self._fresh_s = fresh_s
        self._answer: tuple[_Answer, float] | None = None
        self._is_slow = False
        self._asking: asyncio.Task[_Answer] | None = None

    def forget(self) -> None:
        """Something was changed: whoever asks from now on waits for a new answer."""
        self._answer, self._asking = None, None

    def begin(self) -> None:
        """Ask in the background; an error is for the page that asks next."""
        if self._asking is None:
            self._asking = asyncio.get_running_loop().create_task(self._asked())
            self._asking.add_done_callback(_retrieved)

    async def get(self) -> _Answer:
        """The answer; errors as of the question."""
        if self._answer is not None:
            answer, at = self._answer
            age = self._clock.monotonic() - at
            if age <= (self._fresh_s if self._is_slow else _QUICK_FRESH_S):
                return answer
            self.begin()
            if self._is_slow and age <= _OLDEST_S:
                return answer
        self.begin()
        assert self._asking is not None, "it has just begun"
        return await asyncio.shield(self._asking)

    async def soon(self, seconds: float) -> _Answer | None:
        """The answer, or None if it does not come within `seconds`; errors as of the question."""
        getting = asyncio.ensure_future(self.get())
        done, _ = await asyncio.wait({getting}, timeout=seconds)
        if not done:
            getting.cancel()
            return None
        return getting.result()

    async def _asked(self) -> _Answer:
        this = asyncio.current_task()
        # The time before the request: a change during it is read again.
        begun = self._clock.monotonic()
        try:
            answer = await self._ask()
        finally:
            is_newest = self._asking is this
            if is_newest:
                self._asking = None
        if is_newest:
            self._is_slow = self._clock.monotonic() - begun > _SLOW_S
            self._answer = answer, begun
        return answer


def _retrieved(task: "asyncio.Task[_Answer]") -> None:
    """Mark an error as seen: the next caller requests the answer again."""
    if not task.cancelled():
        task.exception()
