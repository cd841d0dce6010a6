"""FrameServer: serves watched frames to a console in another process, over a private pipe.

The console asks and gets what there is: a page that is slow takes nothing from the broker.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from barnabas.broker.server.watched_clients import WatchedClients


class FrameServer:
    """A thread that runs until the other end of the pipe is closed, or the broker's loop has ended."""

    def __init__(
        self,
        watched: WatchedClients,
        call: Callable[[Callable[[], object]], object],
        pipe: "Connection[Any, Any]",
    ) -> None:
        """`call` returns what a function returns that runs on the broker's loop."""
        self._methods: dict[str, Callable[..., object]] = {
            "connections": watched.connections,
            "look": watched.look,
            "exchange": watched.exchange,
        }
        self._call = call
        self._pipe = pipe
        self._thread = threading.Thread(target=self._serve, name="frames", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def _serve(self) -> None:
        # RuntimeError: the loop has ended.
        with self._pipe, suppress(EOFError, OSError, RuntimeError):
            while True:
                name, arguments = self._pipe.recv()
                method = self._methods[name]
                self._pipe.send(self._call(lambda: method(*arguments)))  # noqa: B023 - called at once
