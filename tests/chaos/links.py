"""Links: connections to a port that can be cut, or fall silent, while both ends run."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

_PIECE = 1 << 16


class Link:
    """A port of its own before another one. All calls come from one thread, not that of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, target: int) -> None:
        self.port = 0
        self._loop = loop
        self._target = target
        self._is_cut = False
        self._flows = asyncio.Event()
        self._flows.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen at a free port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """End all connections."""
        if self._server is not None:
            self._server.close()
        self._reset()

    def cut(self) -> None:
        """Reset all connections, and each new one."""
        self._do(self._cut)

    def silence(self) -> None:
        """Hold back all that is sent, both ways; connections stay."""
        self._do(self._flows.clear)

    def heal(self) -> None:
        """Let all connections continue. Delayed bytes arrive late."""
        self._do(self._heal)

    def _do(self, change: Callable[[], None]) -> None:
        async def call() -> None:
            change()

        asyncio.run_coroutine_threadsafe(call(), self._loop).result(30)

    def _cut(self) -> None:
        self._is_cut = True
        self._reset()

    def _heal(self) -> None:
        self._is_cut = False
        self._flows.set()

    def _reset(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, back}
        self._writers |= both
        try:
            await asyncio.gather(self._pump(reader, back), self._pump(there, writer))
        finally:
            self._writers -= both
            for one in both:
                one.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(_PIECE):
                await self._flows.wait()
                writer.write(piece)
                await writer.drain()
        # An end of one side is passed on as the end of both.
        writer.transport.abort() if writer.transport.is_closing() else writer.close()


class Links:
    """The loop of all links, on a thread for the duration of a `with`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="links")
        self._links: list[Link] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        for link in self._links:
            await link.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def link(self, target: int) -> Link:
        """A link to a port of loopback."""
        made = Link(self._loop, target)
        asyncio.run_coroutine_threadsafe(made.open(), self._loop).result(30)
        self._links.append(made)
        return made
