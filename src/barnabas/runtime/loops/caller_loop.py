"""An event loop that runs on the caller's thread, only while the caller waits.

For clients that work only during calls: without a second thread, the data path never switches threads.
If work must continue between calls, `keep` starts a thread for it. The loop also works inside a
running asyncio loop (a notebook), which it blocks as any blocking call does.
"""

import asyncio
import os
import threading
from asyncio.events import _get_running_loop, _set_running_loop
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, Final, Generic, TypeVar

from barnabas.errors import LocalProtocolError, WakeupError
from barnabas.runtime.loops.deferred_signals import DeferredSignals
from barnabas.runtime.loops.loop_keeper import LoopKeeper

_Result = TypeVar("_Result")


_END_S: Final = 1.0
"""How long a call that an exception interrupts may take to end; then its loop is abandoned."""


class _Call(Generic[_Result]):
    """One call that runs. A handler of a signal runs between two callbacks of its loop.

    `ending` is what the handler raised, which cancels the call in place of going through the loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, what: Coroutine[Any, Any, _Result]) -> None:
        self.ending: BaseException | None = None
        self.signals = DeferredSignals(self._on_signal)
        self._loop = loop
        self._what = what
        self._over = False
        self.task: asyncio.Task[_Result] | None = None

    @property
    def lost(self) -> bool:
        """Whether it neither ended nor could be cancelled."""
        return self.task is not None and not self.task.done()

    def drop(self) -> None:
        """Never run it."""
        self._what.close()

    def forget(self) -> None:
        """Let go of a task that ended: this object is in a circle, and would keep the result with it."""
        if not self.lost:
            self.task = None

    def run(self) -> _Result:
        """Run it to its end.

        Raises:
            BaseException: what it raises, or what a handler raised meanwhile.
        """
        self.task = self._loop.create_task(self._what)
        if self.signals.caught:
            self._loop.call_soon(self._deliver)
        try:
            result = self._loop.run_until_complete(self.task)
        except BaseException as error:
            if not self.task.done():
                self.task.cancel()
                self._loop.run_until_complete(asyncio.wait([self.task], timeout=_END_S))
            if self.ending is not None and isinstance(error, Exception | asyncio.CancelledError):
                raise self.ending from None
            raise
        finally:
            self._over = True
        if self.ending is not None:
            raise self.ending
        return result

    def _on_signal(self) -> None:
        self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        if self.task is None or self._over:
            return  # The loop runs for somebody else, maybe on another thread.
        try:
            self.signals.deliver()
        except BaseException as error:  # noqa: BLE001 - raised again when the call has ended
            self.ending = error
            self.task.cancel()
            self._loop.call_later(_END_S, self._hurry)

    def _hurry(self) -> None:
        """It does not end: what asks for that once more goes through the loop."""
        self.signals.immediate = True


class CallerLoop:
    """A loop without a thread. Calls must not overlap; what is pending stands still between them."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._name = name
        self._pid = os.getpid()
        self._taken = threading.Lock()
        self._call: _Call[Any] | None = None
        self._keeper: LoopKeeper | None = None
        self.woken = False
        self.broken = False

    def run(self, what: Coroutine[Any, Any, _Result], *, wakeable: bool = True) -> _Result:
        """Run a coroutine to its end and return its result; `wake` ends it where it is `wakeable`.

        Where a signal's handler raises, as on Ctrl-C, the coroutine is cancelled before that is
        raised here.

        Raises:
            LocalProtocolError: the loop is closed, in use by another thread, or belongs to the
                process before a fork.
            WakeupError: `wake` was called, meanwhile or since the last call.
        """
        call = _Call(self.loop, what)
        with call.signals:
            return self._run(call, wakeable=wakeable)

    def keep(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float) -> None:
        """Run `work` every `seconds` while no call runs. Only the first call has an effect."""
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

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        """As `held`, and nothing that a signal's handler raises comes amid it."""
        with DeferredSignals(), self.held:
            yield

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
        """Whether a call runs now, or the caller is the thread that runs the loop between calls."""
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
                self.broken = False  # For as long as it takes to end it.
                self.run(_ended(left), wakeable=False)
            self.loop.close()

    def _run(self, call: _Call[_Result], *, wakeable: bool) -> _Result:
        try:
            self.check()
            if wakeable:
                self._check_woken()
            if not self._taken.acquire(blocking=False):
                raise self._taken_already()
        except (LocalProtocolError, WakeupError):
            call.drop()
            raise
        around = _get_running_loop()
        _set_running_loop(None)
        try:
            with self.held:
                self._call = call if wakeable else None
                return call.run()
        except asyncio.CancelledError:
            if wakeable:
                self._check_woken()
            raise
        finally:
            self._call = None
            self.broken = call.lost
            call.forget()
            self._taken.release()
            _set_running_loop(around)

    def _end_call(self) -> None:
        call = self._call
        if self.woken and call is not None and call.task is not None:
            call.task.cancel()

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
        if self.broken:
            what = "was interrupted amid its own work, and what it waits for may never come"
            raise LocalProtocolError(f"{self._name} {what}: close it and make another")

    def _taken_already(self) -> LocalProtocolError:
        what = "is in use by another thread; it serves one at a time"
        return LocalProtocolError(f"{self._name} {what}")


async def _ended(tasks: "set[asyncio.Task[Any]]") -> None:
    await asyncio.wait(tasks, timeout=_END_S)
