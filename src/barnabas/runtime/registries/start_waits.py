"""StartWaits: waits of a broker's start, until done or cancelled.

The loop does not run yet, so a stop cannot reach the start through it: `cancel` may be called by any
thread, and by a signal handler in the midst of a wait.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from time import monotonic

from barnabas.errors import StartCancelled

log = logging.getLogger(__name__)

_QUIET_SECONDS = 1.0
"""How long a wait may last before the log reports its reason."""


class StartWaits:
    """The waits of one start, which all happen on one thread."""

    def __init__(self) -> None:
        # Of all that wakes a thread, this alone may be called by a handler that interrupted it.
        self._wakes: SimpleQueue[None] = SimpleQueue()
        self._thread: int | None = None
        self._is_waiting = False
        self.is_cancelled = False

    @contextmanager
    def of_this_thread(self) -> Iterator[None]:
        """The time in which this thread starts the broker; `cancel` has no effect afterwards."""
        self._thread = threading.get_ident()
        try:
            yield
            # Cancelled when nothing had to be waited for any more: the start is done.
            self.is_cancelled = False
        finally:
            self._thread = None

    @property
    def is_mine(self) -> bool:
        """Whether the calling thread is starting a broker."""
        return self._thread == threading.get_ident()

    def cancel(self) -> bool:
        """End the wait, and all that follow; returns whether there was one."""
        was_waiting = self._is_waiting
        if self._thread is not None:
            self.is_cancelled = True
            self.wake()
        return was_waiting

    def wake(self, _news: object = None) -> None:
        """Have a wait look again; for any thread."""
        self._wakes.put(None)

    def until(self, is_so: Callable[[], bool], what: str, seconds: float | None = None) -> bool:
        """Wait until `is_so`, which is called after each `wake`; False: it was not within `seconds`.

        `what` is waited for: the log says so if it takes a while.

        Raises:
            StartCancelled: by `cancel`, now or before.
        """
        begun = monotonic()
        reported = False
        self._is_waiting = True
        try:
            while True:
                if self.is_cancelled:
                    raise StartCancelled(f"the start was cancelled while it waited for {what}")
                if is_so():
                    break
                waited = monotonic() - begun
                if seconds is not None and waited >= seconds:
                    return False
                if not reported and waited >= _QUIET_SECONDS:
                    reported = True
                    log.warning("start waits", extra={"for": what, "at_most_s": seconds})
                ends = [seconds, None if reported else _QUIET_SECONDS]
                with suppress(Empty):
                    end = min((each for each in ends if each is not None), default=None)
                    self._wakes.get(timeout=None if end is None else end - waited)
        finally:
            self._is_waiting = False
        if reported:
            log.warning("start goes on", extra={"waited_for": what})
        return True
