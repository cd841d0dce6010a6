"""Long responses: server-sent events and downloads, and their limits."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

STREAM_HEADERS: Final = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
"""The second one is for a proxy that would collect events."""

_STALLED_S: Final = 60.0
"""How long a browser may read nothing: unread bytes are held in memory."""


class EndedEarly(Exception):
    """A response cannot be completed. Its connection is closed, so that the browser sees it."""


class StreamLimit:
    """At most so many responses at a time; `refusal` is the sentence for one more."""

    def __init__(self, most: int, refusal: str) -> None:
        self.count = 0
        self.most = most
        self.is_over = False
        self._refusal = refusal
        self._tasks: set[asyncio.Task[Any]] = set()

    def check(self) -> None:
        """Refuse a response that would be one too many.

        Raises:
            HTTPException: 503, as many are under way as may be.
        """
        if self.count >= self.most:
            raise HTTPException(503, self._refusal)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Count a response until the block ends."""
        task = asyncio.current_task()
        assert task is not None, "a response is sent by a task"
        self.count += 1
        self._tasks.add(task)
        try:
            yield
        finally:
            self.count -= 1
            self._tasks.discard(task)

    def end(self) -> None:
        """End all responses: the console ends."""
        self.is_over = True
        for task in self._tasks:
            task.cancel()


class DownloadMemory:
    """How many bytes of records all downloads hold, of `most`. More must wait.

    `reading`: held while records of unknown size are read. `encoding`: held while records are encoded
    for a file, one piece of one download at a time: several would take the processor from all pages.
    """

    def __init__(self, most: int) -> None:
        self.reading = asyncio.Lock()
        self.encoding = asyncio.Lock()
        self.count = 0
        self._most = most
        self._freed = asyncio.Condition()

    @asynccontextmanager
    async def taken(self, size: int) -> AsyncIterator["Charge"]:
        """Wait until so many bytes fit; they are held until the block ends. Any number fits alone."""
        size = min(size, self._most)
        async with self._freed:
            await self._freed.wait_for(lambda: self.count + size <= self._most)
            self.count += size
        charge = Charge(self, size)
        try:
            yield charge
        finally:
            self.count -= charge.size
            async with self._freed:
                self._freed.notify_all()

    def grow(self, charge: "Charge", size: int) -> bool:
        """See `Charge.grow`."""
        more = min(size, self._most) - charge.size
        if more > 0 and self.count + more > self._most:
            return False
        self.count += max(0, more)
        charge.size += max(0, more)
        return True


class Charge:
    """Bytes that a download holds."""

    def __init__(self, memory: DownloadMemory, size: int) -> None:
        self.size = size
        self._memory = memory

    def grow(self, size: int) -> bool:
        """Hold `size` bytes in all, if so many fit now, and return whether they do."""
        return self._memory.grow(self, size)


class LimitedResponse(StreamingResponse):
    """Is counted from its beginning: of a hundred that come together most are refused.

    Raises:
        HTTPException: 503, before anything is sent.
    """

    def __init__(
        self,
        content: AsyncIterable[str | bytes | memoryview],
        at_once: StreamLimit,
        headers: Mapping[str, str],
        media_type: str | None = None,
    ) -> None:
        super().__init__(content, headers=headers, media_type=media_type)
        self._at_once = at_once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it all, or until the console ends.

        Raises:
            EndedEarly: the console ended, or the browser takes nothing any more.
        """

        async def sending(message: Message) -> None:
            try:
                async with asyncio.timeout(_STALLED_S):
                    await send(message)
            except TimeoutError:
                raise EndedEarly(f"nothing was taken for {_STALLED_S:.0f} seconds") from None

        self._at_once.check()
        with self._at_once.taken():
            try:
                await super().__call__(scope, receive, sending)
            except asyncio.CancelledError:
                if not self._at_once.is_over:
                    raise
                raise EndedEarly("the console ended") from None
