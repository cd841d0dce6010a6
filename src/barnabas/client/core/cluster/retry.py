"""How long to wait before the next try. Decides no tries and waits for nothing itself."""

from dataclasses import dataclass

from barnabas.ports import Entropy

_JITTER = 0.2


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double from `initial_ms` up to `maximum_ms`, each off by up to a fifth.

    Source: KIP-580 (exponential back-off with jitter; `retry.backoff.ms`, `retry.backoff.max.ms`).
    """

    initial_ms: int
    maximum_ms: int
    entropy: Entropy

    def seconds(self, failures: int) -> float:
        """The wait after `failures` failures in a row; none before the first."""
        if failures <= 0:
            return 0.0
        whole = min(self.maximum_ms, self.initial_ms * (1 << min(failures - 1, 30)))
        return whole * (1 - _JITTER + 2 * _JITTER * self.entropy.fraction()) / 1000
