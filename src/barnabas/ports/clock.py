"""Time and random numbers."""

from typing import Protocol


class Clock(Protocol):
    """Time. `monotonic` never decreases; `time_ms` is wall time and may."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start."""
        ...

    def time_ms(self) -> int:
        """Milliseconds since the epoch, as in record timestamps."""
        ...

    def time_ns(self) -> int:
        """The same in nanoseconds: a producer needs one for each record."""
        ...


class Entropy(Protocol):
    """Randomness."""

    def below(self, bound: int) -> int:
        """A number in [0, bound)."""
        ...

    def fraction(self) -> float:
        """A number in [0, 1)."""
        ...

    def uuid(self) -> bytes:
        """Sixteen bytes of a random (version 4) UUID."""
        ...
