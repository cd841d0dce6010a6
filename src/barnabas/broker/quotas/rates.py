"""Rates over a sliding window, as Kafka measures them. Pure: the caller passes the time."""

from collections import deque


class _Sample:
    __slots__ = ("begun", "total")

    def __init__(self, begun: float) -> None:
        self.begun = begun
        self.total = 0.0


class Rate:
    """How much a second, over `count` samples of `seconds` each. Times are seconds of one clock.

    Source: Kafka's SampledStat and Rate.
    """

    __slots__ = ("_count", "_samples", "_seconds")

    def __init__(self, count: int, seconds: float) -> None:
        self._count = count
        self._seconds = seconds
        self._samples: deque[_Sample] = deque()

    def record(self, amount: float, now: float) -> None:
        """Count what was used; a negative amount takes back what was counted just before."""
        samples = self._samples
        if not samples or now - samples[-1].begun >= self._seconds:
            samples.append(_Sample(now))
        samples[-1].total += amount

    def measure(self, now: float) -> float:
        """The rate as of `now`."""
        self._forget(now)
        return sum(sample.total for sample in self._samples) / self.window(now)

    def window(self, now: float) -> float:
        """Over how many seconds it is measured: never less than all samples but the one begun."""
        elapsed = now - self._samples[0].begun if self._samples else 0.0
        missing = self._count - 1 - int(elapsed / self._seconds)
        return elapsed + max(missing, 0) * self._seconds

    def is_idle(self, now: float) -> bool:
        """Whether nothing is left that counts."""
        self._forget(now)
        return not self._samples

    def _forget(self, now: float) -> None:
        samples = self._samples
        while samples and now - samples[0].begun >= self._count * self._seconds:
            samples.popleft()


def seconds_over(rate: float, bound: float, window: float) -> float:
    """How long a client must be silent for its rate over the window to come down to the bound."""
    return 0.0 if rate <= bound else (rate - bound) / bound * window


class Bucket:
    """Tokens that come at a steady rate, up to a burst; more may be taken than there are.

    Source: Kafka's TokenBucket (KIP-599).
    """

    __slots__ = ("_at", "_tokens", "burst", "rate")

    def __init__(self, rate: float, seconds: float, now: float) -> None:
        """It holds the tokens of so many seconds."""
        self.rate = rate
        self.burst = rate * seconds
        self._tokens = self.burst
        self._at = now

    def take(self, amount: float, now: float) -> None:
        """Take tokens, or owe them."""
        self._fill(now)
        self._tokens -= amount

    def seconds_owed(self, now: float) -> float:
        """How long it takes until nothing is owed."""
        self._fill(now)
        return max(0.0, -self._tokens / self.rate)

    def _fill(self, now: float) -> None:
        self._tokens = min(self.burst, self._tokens + (now - self._at) * self.rate)
        self._at = now
