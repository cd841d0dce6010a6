"""Responses that go on for a while: server-sent events and downloads, and how many there may be."""

from collections.abc import AsyncIterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

STREAM_HEADERS: Final = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
"""The second one is for a proxy that would collect events."""


class AtOnce:
    """At most so many responses at a time; `refusal` is the sentence for one more."""

    def __init__(self, most: int, refusal: str) -> None:
        self.count = 0
        self.most = most
        self._refusal = refusal

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
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1


class CountedResponse(StreamingResponse):
    """Is counted from its beginning: of a hundred that come together most are refused.

    Raises:
        HTTPException: 503, before anything is sent.
    """

    def __init__(
        self,
        content: AsyncIterable[str | bytes],
        at_once: AtOnce,
        headers: Mapping[str, str],
        media_type: str | None = None,
    ) -> None:
        super().__init__(content, headers=headers, media_type=media_type)
        self._at_once = at_once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it all."""
        self._at_once.check()
        with self._at_once.taken():
            await super().__call__(scope, receive, send)
