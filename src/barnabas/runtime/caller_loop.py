"""An event loop that runs on the caller's thread, and only while the caller waits.

For clients that only do something when asked: no second thread, so no switching between threads on
the data path. Where something must go on between calls, `keep` has a thread look after it. Works
inside a running asyncio loop too (a notebook), where it blocks that loop as any blocking call does.
"""

import asyncio
import os
import threading
from asyncio.events import _get_running_loop, _set_running_loop
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, TypeVar

from barnabas.errors import LocalProtocolError, WakeupError
from barnabas.runtime.loop_keeper import LoopKeeper

_Result = TypeVar("_Result")


class CallerLoop:
    """A loop without a thread. Calls must not overlap; what is pending stands still between them."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._name = name
        self._pid = os.getpid()
        self._taken = threading.Lock()
        self._task: asyncio.Task[Any] | None = None
        self._keeper: LoopKeeper | None = None
        self.woken = False

    def run(self, what: Coroutine[Any, Any, _Result], *, wakeable: bool = True) -> _Result:
        """Run a coroutine to its end and return its result; `wake` ends it where it is `wakeable`.

        Raises:
            LocalProtocolError: the loop is closed, in use by another thread, or belongs to the
                process before a fork.
            WakeupError: `wake` was called, meanwhile or since the last call.
        """
        try:
            self.check()
            if wakeable:
                self._check_woken()
            if not self._taken.acquire(blocking=False):
                raise self._taken_already()
        except (LocalProtocolError, WakeupError):
            what.close()
            raise
        around = _get_running_loop()
        _set_running_loop(None)
        try:
            with self.held:
                task = self.loop.create_task(what)
                self._task = task if wakeable else None
                return self._run(task)
        except asyncio.CancelledError:
            if wakeable:
                self._check_woken()
            raise
        finally:
            self._task = None
            self._taken.release()
            _set_running_loop(around)

    def keep(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float) -> None:
        """Have `work` run every `seconds` while no call does; only the first time this is said."""
        if self._keeper is None:
            self._keeper = LoopKeeper(f"{self._name} between calls", self.loop, work, seconds)

    @property
    def kept(self) -> bool:
        """Whether `keep` was called."""
        return self._keeper is not None

    @property
    def held(self) -> AbstractContextManager[object]:
        """`with` it around what touches the loop's objects without `run`."""
        return nullcontext() if self._keeper is None else self._keeper

    def wake(self) -> None:
        """Let the call that runs, or the next one, raise WakeupError. From any thread."""
        self.woken = True
        with suppress(RuntimeError):  # The loop is closed: no call is left to be ended.
            self.loop.call_soon_threadsafe(self._end_call)

    @property
    def closed(self) -> bool:
        """Whether nothing can be run any more."""
        return self.loop.is_closed() or self._pid != os.getpid()

    @property
    def in_use(self) -> bool:
        """Whether a call runs now, or it is asked on the thread that looks after the loop."""
        return self._taken.locked() or (self._keeper is not None and self._keeper.here)

    def close(self) -> None:
        """Give the loop back, unless a call still runs; a second call does nothing."""
        if not self.closed and not self.in_use:
            if self._keeper is not None:
                self._keeper.stop()
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left:
                self.run(_all_of(left), wakeable=False)
            self.loop.close()

    def _run(self, task: "asyncio.Task[_Result]") -> _Result:
        try:
            return self.loop.run_until_complete(task)
        except BaseException:
            if not task.done():
                task.cancel()
                self.loop.run_until_complete(asyncio.wait([task]))
            raise

    def _end_call(self) -> None:
        if self.woken and self._task is not None:
            self._task.cancel()

    def _check_woken(self) -> None:
        if self.woken:
            self.woken = False
            raise WakeupError(f"{self._name} was woken by wakeup()")

    def check(self) -> None:
        """Raise LocalProtocolError where nothing can be run now; see `run`."""
        if self.loop.is_closed():
            raise LocalProtocolError(f"{self._name} is closed")
        if self._pid != os.getpid():
            raise LocalProtocolError(
                f"{self._name} was made in process {self._pid}, before this one was forked from it;"
                " make a new one in this process"
            )
        if self.in_use:
            raise self._taken_already()

    def _taken_already(self) -> LocalProtocolError:
        what = "is in use by another thread; it serves one at a time"
        return LocalProtocolError(f"{self._name} {what}")


async def _all_of(tasks: "set[asyncio.Task[Any]]") -> None:
    await asyncio.gather(*tasks, return_exceptions=True)
