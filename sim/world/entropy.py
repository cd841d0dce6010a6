"""SeededEntropy: the Entropy port from a seed; each part of a run has a stream of its own."""

import random  # noqa: TID251 - this is where chance is made foreseeable
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class SeededEntropy:
    """`ports.Entropy`, with what a scenario asks beside it."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._random = random.Random(seed)  # noqa: S311 - it shall be foreseeable

    def stream(self, name: str) -> "SeededEntropy":
        """Chance of its own for one part, so that what the others ask does not change it."""
        return SeededEntropy(f"{self._seed}/{name}")

    def below(self, bound: int) -> int:
        """A number in [0, bound)."""
        return self._random.randrange(bound)

    def fraction(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def uuid(self) -> bytes:
        """Sixteen bytes of a version 4 UUID."""
        number = self._random.getrandbits(128)
        number = number & ~(0xF << 76) | 4 << 76
        return (number & ~(3 << 62) | 2 << 62).to_bytes(16, "big")

    def between(self, low: float, high: float) -> float:
        """A number in [low, high)."""
        return low + (high - low) * self._random.random()

    def chance(self, probability: float) -> bool:
        """True that often."""
        return self._random.random() < probability

    def one_of(self, choices: Sequence[_T]) -> _T:
        """One of these."""
        return choices[self._random.randrange(len(choices))]
