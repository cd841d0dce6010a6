"""Long responses: server-sent events and downloads, and their limits."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

STREAM_HEADERS: Final = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
"""The second one is for a proxy that would collect events."""


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

    `encoding`: who turns records into bytes of a file, one download at a time: records can be so
    large that several would keep all pages from the processor.
    """

    def __init__(self, most: int) -> None:
        self.encoding = asyncio.Lock()
        self.count = 0
        self._most = most
        self._freed = asyncio.Condition()

    @asynccontextmanager
    async def taken(self, size: int) -> AsyncIterator[None]:
        """Wait until so many bytes fit; they are held until the block ends. Any number fits alone."""
        size = min(size, self._most)
        async with self._freed:
            await self._freed.wait_for(lambda: self.count + size <= self._most)
            self.count += size
        try:
            yield
        finally:
            self.count -= size
            async with self._freed:
                self._freed.notify_all()


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
            EndedEarly: the console ended.
        """
        self._at_once.check()
        with self._at_once.taken():
            try:
                await super().__call__(scope, receive, send)
            except asyncio.CancelledError:
                if not self._at_once.is_over:
                    raise
                raise EndedEarly("the console ended") from None
