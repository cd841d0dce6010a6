"""How many pages are made at the same time, and what becomes of the others."""

import asyncio
from collections import Counter

from starlette.types import Message, Receive, Scope, Send

from barnabas.console.page_limit import MOST_AT_ONCE, MOST_WAITING, PageLimit


def test_few_pages_are_made_at_once_and_few_wait() -> None:
    """Three hundred connections that asked for the list of topics took 500 MB."""
    making = most = 0
    statuses: list[int] = []

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        nonlocal making, most
        making += 1
        most = max(most, making)
        await asyncio.sleep(0.001)
        making -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        # It is read slowly: others are made meanwhile.
        await read.wait()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
            if len(statuses) == 100:
                all_began.set()

    async def receive() -> Message:
        return {"type": "http.request"}

    async def ask(path: str) -> None:
        scope = {"type": "http", "method": "GET", "path": path, "headers": []}
        await pages_at_once(scope, receive, send)

    async def run() -> None:
        pages = [asyncio.create_task(ask("/topics")) for _ in range(100)]
        await all_began.wait()
        read.set()
        await asyncio.gather(*pages, ask("/static/console.js"))

    pages_at_once, read = PageLimit(app), asyncio.Event()
    all_began = asyncio.Event()
    asyncio.run(run())
    assert most == MOST_AT_ONCE
    found = Counter(statuses)
    assert found[200] == MOST_AT_ONCE + MOST_WAITING + 1
    assert found[503] == 100 - MOST_AT_ONCE - MOST_WAITING
