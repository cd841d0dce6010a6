"""PageLimit: limits how many pages are made at once; some requests wait, more are refused.

A page of a large cluster takes a megabyte and more while it is made.
"""

import asyncio
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_AT_ONCE: Final = 8
"""Pages that are made at the same time."""
MOST_WAITING: Final = 32
"""Pages that may wait for that: some seconds."""

_FREE: Final = "/static/"
"""Files below it are sent, not made."""
_TEXT: Final = "This console has too many requests at once. Try again in a moment.\n"


class PageLimit:
    """Holds a place for each page from its request until its response begins.

    A form may be sent slowly: it needs no place. A page that is read slowly has it no more.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._making = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request when there is a place, or refuse it."""
        is_page = scope["type"] == "http" and not scope["path"].startswith(_FREE)
        if not is_page or scope["method"] == "POST":
            await self._app(scope, receive, send)
        elif self._waiting >= MOST_WAITING:
            await PlainTextResponse(_TEXT, 503, {"Retry-After": "1"})(scope, receive, send)
        else:
            await self._make(scope, receive, send)

    async def _make(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._waiting += 1
        try:
            await self._making.acquire()
        finally:
            self._waiting -= 1

        has_place = True

        def leave() -> None:
            nonlocal has_place
            if has_place:
                has_place = False
                self._making.release()

        async def sending(message: Message) -> None:
            leave()
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            leave()
