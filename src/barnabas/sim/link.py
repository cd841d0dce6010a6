"""Link: the cable between two channels: how long bytes take, and how it breaks."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from barnabas.sim.entropy import SeededEntropy

if TYPE_CHECKING:
    from barnabas.sim.channel import SimChannel

_FASTEST, _SLOWEST = 0.0001, 0.004


class Link:
    """Bytes arrive in their order, whole or not at all once it is cut."""

    def __init__(self, entropy: SeededEntropy, on_gone: Callable[[], object]) -> None:
        self.entropy = entropy
        self.ends: tuple[SimChannel, ...] = ()
        self.is_cut = False
        self.swallows_answers = False
        self.clogged_until = 0.0
        self._on_gone = on_gone

    def delay(self, now: float) -> float:
        """Seconds that the next bytes take."""
        return max(self.clogged_until - now, 0.0) + self.entropy.between(_FASTEST, _SLOWEST)

    def cut(self) -> None:
        """Break it: what is on its way is lost, and each end finds out in its own time."""
        if self.is_cut:
            return
        self.is_cut = True
        self._on_gone()
        for end in self.ends:
            end.lose(self.entropy.between(0.0, 0.5))

    def forget(self) -> None:
        """Both ends are closed."""
        self._on_gone()
