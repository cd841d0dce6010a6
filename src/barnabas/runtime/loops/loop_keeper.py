"""LoopKeeper: a thread that runs a caller's loop at intervals while the caller is away.

It is for work that must continue between calls, such as heartbeats. It yields the loop whenever the caller
returns, so the loop never runs on two threads at once.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Self


class LoopKeeper:
    """Use it in a `with` around all access, from other threads, to objects of the loop.

    `work` runs every `seconds`, to its end or until the caller needs the loop.
    """

    def __init__(
        self,
        name: str,
        loop: asyncio.AbstractEventLoop,
        work: Callable[[], Coroutine[Any, Any, None]],
        seconds: float,
    ) -> None:
        self._loop = loop
        self._work = work
        self._seconds = seconds
        self._turn = threading.RLock()
        self._coming = threading.Lock()
        self._stopped = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        if self._turn._is_owned():  # type: ignore[attr-defined]  # noqa: SLF001
            return self  # An exception, as of Ctrl-C, came before it was given back the last time.
        # Notified once: held, so that work that begins before the caller wakes does not miss it.
        with self._coming:
            if not self._turn.acquire(blocking=False):
                self._loop.call_soon_threadsafe(self._step_aside)
                self._turn.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        self._turn.release()

    @property
    def here(self) -> bool:
        """Whether this is its own thread."""
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        """End the thread; a second call does nothing. Not from its own thread."""
        self._stopped.set()
        with self:
            pass
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            if not self._coming.locked() and self._turn.acquire(blocking=False):
                try:
                    if not self._stopped.is_set():
                        self._look_after()
                finally:
                    self._turn.release()

    def _look_after(self) -> None:
        self._task = self._loop.create_task(self._work())
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._task)
        self._task = None

    def _step_aside(self) -> None:
        if self._task is not None:
            self._task.cancel()
