"""Portal: an event loop on its own thread, and calls to it from other threads.

Belongs to one process: a fork has no such thread, so every entrance looks whether it is still in the
process that made it.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from barnabas.errors import KafkaError, LocalProtocolError, RequestTimeout

_Result = TypeVar("_Result")


class Portal:
    """Runs what other threads ask for on its loop. The thread is a daemon; `close` ends it."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._name = name
        self._pid = os.getpid()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, what: Coroutine[Any, Any, _Result], timeout_s: float | None = None) -> _Result:
        """Run a coroutine on the loop and wait for its result.

        Raises:
            RequestTimeout: it took longer than `timeout_s` seconds; it was cancelled.
            LocalProtocolError: the portal is closed, or belongs to the process before a fork.
        """
        future = self.begin(what)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            if future.done():
                raise
            future.cancel()
            raise RequestTimeout(f"{self._name}: no result within {timeout_s} s") from None
        except KafkaError as error:
            # Users need the message; the frames of the loop only hide it.
            raise error.with_traceback(None)  # noqa: B904
        except BaseException:
            future.cancel()
            raise

    def begin(self, what: Coroutine[Any, Any, _Result]) -> "Future[_Result]":
        """Have a coroutine run on the loop; from any thread.

        Raises:
            LocalProtocolError: as `call`.
        """
        try:
            self.check()
        except LocalProtocolError:
            what.close()
            raise
        return asyncio.run_coroutine_threadsafe(what, self.loop)

    def post(self, callback: Callable[[], None]) -> None:
        """Have `callback` called on the loop, soon; from any thread."""
        self.check()
        self.loop.call_soon_threadsafe(callback)

    def check(self) -> None:
        """Refuse where the loop's thread cannot be.

        Raises:
            LocalProtocolError: the portal is closed, or belongs to the process before a fork.
        """
        if self._closed:
            raise LocalProtocolError(f"{self._name} is closed")
        if self._pid != os.getpid():
            raise LocalProtocolError(
                f"{self._name} was made in process {self._pid}, before this one was forked from it:"
                " its thread and its connections are not here; make a new one in this process"
            )

    @property
    def here(self) -> bool:
        """Whether the loop runs, in this process."""
        return not self._closed and self._pid == os.getpid()

    def leave(self, last: Callable[[], None]) -> None:
        """Have `last` called on the loop, then end it and its thread; waits for neither."""
        self._closed = True
        self.loop.call_soon_threadsafe(last)
        self.loop.call_soon_threadsafe(self.loop.stop)

    def close(self) -> None:
        """End the loop and its thread; a second call does nothing. Not from the loop's thread."""
        if self._closed or self._pid != os.getpid():
            self._closed = True
            return
        self._closed = True
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
        finally:
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left:
                self.loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()
