"""An event loop that runs on the caller's thread, and only while the caller waits.

For clients that only do something when asked: no second thread, so no switching between threads on
the data path. Works inside a running asyncio loop too (a notebook), where it blocks that loop as any
blocking call does.
"""

import asyncio
import os
from asyncio.events import _get_running_loop, _set_running_loop
from collections.abc import Coroutine
from typing import Any, TypeVar

from barnabas.errors import LocalProtocolError

_Result = TypeVar("_Result")


class CallerLoop:
    """A loop without a thread. Calls must not overlap; what is pending stands still between them."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._name = name
        self._pid = os.getpid()

    def run(self, what: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine to its end and return its result.

        Raises:
            LocalProtocolError: the loop is closed, in use by another thread, or belongs to the
                process before a fork.
        """
        try:
            self._check()
        except LocalProtocolError:
            what.close()
            raise
        around = _get_running_loop()
        _set_running_loop(None)
        try:
            return self._run(self.loop.create_task(what))
        finally:
            _set_running_loop(around)

    @property
    def closed(self) -> bool:
        """Whether nothing can be run any more."""
        return self.loop.is_closed() or self._pid != os.getpid()

    def close(self) -> None:
        """Give the loop back; a second call does nothing."""
        if not self.loop.is_closed() and self._pid == os.getpid():
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left:
                self.run(_all_of(left))
            self.loop.close()

    def _run(self, task: "asyncio.Task[_Result]") -> _Result:
        try:
            return self.loop.run_until_complete(task)
        except BaseException:
            if not task.done():
                task.cancel()
                self.loop.run_until_complete(asyncio.wait([task]))
            raise

    def _check(self) -> None:
        if self.loop.is_closed():
            raise LocalProtocolError(f"{self._name} is closed")
        if self._pid != os.getpid():
            raise LocalProtocolError(
                f"{self._name} was made in process {self._pid}, before this one was forked from it;"
                " make a new one in this process"
            )
        if self.loop.is_running():
            raise LocalProtocolError(f"{self._name} is in use; it serves one thread at a time")


async def _all_of(tasks: "set[asyncio.Task[Any]]") -> None:
    await asyncio.gather(*tasks, return_exceptions=True)
