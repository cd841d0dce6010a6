"""Threads that wait until a producer's buffer has room again."""

import threading
from collections.abc import Callable
from typing import TypeVar

from barnabas.client.core.arguments.deadline import Deadline
from barnabas.errors import RequestTimeout
from barnabas.ports import Clock

_Found = TypeVar("_Found")


class Room:
    """Where they wait. Knows nothing of the producer, so that the loop does not keep it alive."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting = 0

    def wait(self, attempt: Callable[[], _Found | None], deadline: Deadline, size: int) -> _Found:
        """Try until it gives something; holds this thread up to the deadline.

        Raises:
            RequestTimeout: there was no room in `size` bytes until then.
        """
        # Room may come between the try and the wait; so the try is under the lock of the wait too.
        with self._changed:
            self._waiting += 1
            try:
                while (found := attempt()) is None:
                    if not self._changed.wait(deadline.left(self._clock.monotonic())):
                        raise RequestTimeout(
                            f"no room in buffer.memory ({size} bytes) within {deadline}: the brokers "
                            "take records more slowly than they are sent, or not at all"
                        )
            finally:
                self._waiting -= 1
        return found

    def changed(self) -> None:
        """There may be room; whoever waits tries again. From any thread."""
        if self._waiting:
            with self._changed:
                self._changed.notify_all()
