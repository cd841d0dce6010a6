"""The real clock."""

import time
from time import time_ns


class SystemClock:
    """`ports.Clock` over the operating system."""

    __slots__ = ()

    # The function itself: a method around it would cost a producer more than the clock does.
    time_ns = staticmethod(time_ns)

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        return time.monotonic()

    def time_ms(self) -> int:
        """Milliseconds since the epoch; goes back when somebody sets the clock."""
        return time_ns() // 1_000_000
