"""Deployment: what one thread of a streams application runs, from life to life."""

from sim.build import BUILDS, OLDEST, Build
from sim.world.entropy import SeededEntropy


class Deployment:
    """`ends_all`: it is to ask that the whole application ends."""

    def __init__(self, entropy: SeededEntropy, *, changes: bool) -> None:
        """`changes`: whether lives may be of other builds than the ones before."""
        self._entropy = entropy
        self._changes = changes
        self._is_refused = False
        self.build = OLDEST
        self.ends_all = False

    def renew(self) -> None:
        """Another life begins. One that was refused is rolled back as far as it goes."""
        self.build = self._drawn() if self._changes and not self._is_refused else OLDEST
        self._is_refused = self.ends_all = False

    def _drawn(self) -> Build:
        return self._entropy.one_of(BUILDS)

    def on_refused(self) -> None:
        """Its group has another topology."""
        self._is_refused = True
