"""The real clock."""

from time import monotonic, time_ns


class SystemClock:
    """`ports.Clock` over the operating system."""

    __slots__ = ()

    # The functions themselves: a method around one would cost each produce request and heartbeat more
    # than the clock does.
    monotonic = staticmethod(monotonic)
    time_ns = staticmethod(time_ns)

    def time_ms(self) -> int:
        """Milliseconds since the epoch; goes back when somebody sets the clock."""
        return time_ns() // 1_000_000
