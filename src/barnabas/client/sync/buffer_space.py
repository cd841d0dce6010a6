"""Threads that wait until a producer's buffer has space again."""

import threading
from collections.abc import Callable
from typing import TypeVar

from barnabas.client.core.arguments.deadline import Deadline
from barnabas.errors import RequestTimeout
from barnabas.ports import Clock

_Found = TypeVar("_Found")


class BufferSpace:
    """The waiting threads.

    It does not refer to the producer, so that the loop does not keep that alive.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting = 0

    def wait(self, attempt: Callable[[], _Found | None], deadline: Deadline, size: int) -> _Found:
        """Try until it succeeds; block this thread up to the deadline.

        Raises:
            RequestTimeout: no space for `size` bytes became free.
        """
        # Space may become free between the try and the wait, so both hold the lock.
        with self._changed:
            self._waiting += 1
            try:
                while (found := attempt()) is None:
                    if not self._changed.wait(deadline.left(self._clock.monotonic())):
                        raise RequestTimeout(
                            f"no space in buffer.memory ({size} bytes) within {deadline}: the "
                            "brokers store records more slowly than they are sent, or not at all"
                        )
            finally:
                self._waiting -= 1
        return found

    def changed(self) -> None:
        """Space may be free; waiting threads try again. From any thread."""
        if self._waiting:
            with self._changed:
                self._changed.notify_all()
