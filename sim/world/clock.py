"""SimClock: the Clock port on virtual time; the wall's time may be moved, the monotonic one never."""

from collections.abc import Callable

_BEGIN_MS = 1_700_000_000_000


class SimClock:
    """`ports.Clock`. `jump_ms` is how far the wall clock is off."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.jump_ms = 0

    def monotonic(self) -> float:
        """Virtual seconds since the run began."""
        return self._now()

    def time_ms(self) -> int:
        """Wall time, jumps included."""
        return _BEGIN_MS + self.jump_ms + int(self._now() * 1000)

    def time_ns(self) -> int:
        """The same in nanoseconds."""
        return self.time_ms() * 1_000_000
