"""An asyncio client that runs on the caller's thread: shared code of Consumer and Admin."""

import atexit
import sys
import warnings
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.errors import KafkaError
from barnabas.runtime.loops.caller_loop import CallerLoop
from barnabas.runtime.loops.deferred_signals import DeferredSignals

_Client = TypeVar("_Client")
_Result = TypeVar("_Result")


class _Running(Generic[_Client]):
    """A client and its loop, until they are closed or abandoned."""

    def __init__(self, loop: CallerLoop, client: _Client, drop: Callable[[_Client], None]) -> None:
        self.loop = loop
        self.client = client
        self._drop = drop

    def give_up(self) -> None:
        """End the client without notifying brokers, unless it has ended or another thread uses it."""
        with DeferredSignals():
            if not self.loop.closed and not self.loop.in_use:
                self._drop(self.client)
                self.loop.close()


_all: "set[_Running[Any]]" = set()
"""The running ones.

This set keeps them alive: if their Hosted becomes garbage in a cycle (as with a caught exception),
the loop's tasks must not be collected before they end.
"""


class CallerClient(Generic[_Client]):
    """`client`, created by `make`, and the loop that runs while `run` waits.

    `drop` is called with a client that was never closed; it must not wait. Nothing in the client
    may refer to this object, so that it is collected when nobody uses it.
    """

    def __init__(
        self,
        kind: str,
        make: Callable[[ClientEnvironment], _Client],
        drop: Callable[[_Client], None],
    ) -> None:
        self._loop = CallerLoop(f"this {kind}")
        self._kind = kind
        try:
            self.client = make(ClientEnvironment.real(self._loop.loop))
        except BaseException:
            self._loop.close()
            raise
        self._running = _Running(self._loop, self.client, drop)
        _all.add(self._running)

    def run(self, work: Coroutine[Any, Any, _Result], *, wakeable: bool = True) -> _Result:
        """Run a call of the client; return its result."""
        try:
            return self._loop.run(work, wakeable=wakeable)
        except KafkaError as error:
            # Users need the message; the frames of the loop only hide it.
            raise error.with_traceback(None)  # noqa: B904

    def keep(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float) -> None:
        """See `CallerLoop.keep`."""
        self._loop.keep(work, seconds)

    @property
    def held(self) -> AbstractContextManager[object]:
        """See `CallerLoop.held`: for calls of the client outside `run`."""
        return self._loop.held

    @property
    def undisturbed(self) -> AbstractContextManager[object]:
        """See `CallerLoop.undisturbed`."""
        return self._loop.undisturbed()

    @property
    def kept(self) -> bool:
        """Whether something runs between calls."""
        return self._loop.kept

    @property
    def broken(self) -> bool:
        """Whether it can only be closed."""
        return self._loop.broken

    @property
    def closed(self) -> bool:
        """Whether the client was closed, or belongs to another process."""
        return self._loop.closed

    def now(self) -> float:
        """Monotonic seconds."""
        return self._loop.loop.time()

    @property
    def woken(self) -> bool:
        """Whether the next call must end at once."""
        return self._loop.woken

    def wake(self) -> None:
        """See `CallerLoop.wake`."""
        self._loop.wake()

    def close(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Close the client with `work`, then the loop; a second call does nothing."""
        if self._loop.broken and not self._loop.closed:
            _all.discard(self._running)
            self._running.give_up()
        elif not self._loop.closed:
            self._loop.check()
            _all.discard(self._running)
            try:
                self._loop.run(work(), wakeable=False)
            finally:
                self._running.give_up()

    def __del__(self) -> None:
        if not self._loop.closed and not sys.is_finalizing():
            what = f"{self._kind} was dropped without close()"
            warnings.warn(what, ResourceWarning, stacklevel=2)
            self._running.give_up()
            _all.discard(self._running)


def _give_up_all() -> None:
    """End unclosed clients at the end of the program, while that is still possible."""
    for running in _all:
        running.give_up()


atexit.register(_give_up_all)
