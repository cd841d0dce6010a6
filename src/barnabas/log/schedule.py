"""Periodic work, by a wall clock that may be set back."""


class Schedule:
    """When work is due next. A clock that was set back puts it off by one interval at most."""

    __slots__ = ("_interval_ms", "_next_ms")

    def __init__(self, interval_ms: int) -> None:
        self._interval_ms = interval_ms
        self._next_ms = 0

    def begin(self, now_ms: int) -> None:
        """It is due an interval from now."""
        self._next_ms = now_ms + self._interval_ms

    def is_due(self, now_ms: int) -> bool:
        """Whether it is due, and then again after an interval."""
        due = not 0 < self._next_ms - now_ms <= self._interval_ms
        if due:
            self.begin(now_ms)
        return due
