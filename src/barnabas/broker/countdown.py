"""Countdown: calls back when it was told of all."""

from collections.abc import Callable


class Countdown:
    """Of `count` things that happen."""

    __slots__ = ("_done", "_left")

    def __init__(self, count: int, done: Callable[[], None]) -> None:
        self._left = count
        self._done = done

    def one_less(self) -> None:
        """One of them happened."""
        self._left -= 1
        if not self._left:
            self._done()
