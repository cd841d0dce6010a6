"""Compute the delay before a retry. Makes no decisions about retries, and does not wait."""

from dataclasses import dataclass

from barnabas.ports import Entropy

_JITTER = 0.2


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays that double from `initial_ms` up to `maximum_ms`, each with up to 20 % jitter.

    Source: KIP-580 (exponential back-off with jitter; `retry.backoff.ms`, `retry.backoff.max.ms`).
    """

    initial_ms: int
    maximum_ms: int
    entropy: Entropy

    def seconds(self, failures: int) -> float:
        """The delay after `failures` successive failures; none before the first."""
        if failures <= 0:
            return 0.0
        whole = min(self.maximum_ms, self.initial_ms * (1 << min(failures - 1, 30)))
        return whole * (1 - _JITTER + 2 * _JITTER * self.entropy.fraction()) / 1000
