"""One measured figure of ours beside the same figure of a peer, with the target it is held to."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal


@dataclass(frozen=True, slots=True)
class Result:
    """A published row.

    `ours` and `peer` hold one figure per round, taken in turns. `target` bounds the ratio
    ours / peer where there is a peer, and ours itself where there is none (`peer` empty);
    `better` says on which side of the bound it has to be. `target` None: reported, not held.
    """

    group: str
    measure: str
    unit: str
    ours: tuple[float, ...]
    peer: tuple[float, ...] = ()
    peer_name: str = ""
    target: float | None = None
    better: Literal["lower", "higher"] = "lower"
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Median of ours over median of the peer's."""
        if not self.ours or not self.peer:
            return None
        return median(self.ours) / median(self.peer)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is nothing to judge."""
        if self.target is None or not self.ours:
            return None
        value = self.ratio if self.peer or self.peer_name else median(self.ours)
        if value is None:
            return None
        return value <= self.target if self.better == "lower" else value >= self.target


def spread(values: Sequence[float]) -> str:
    """`min / median` of the rounds, or a dash."""
    if not values:
        return "-"
    return f"{figure(min(values))} / {figure(median(values))}"


def figure(value: float) -> str:
    """Three digits that carry meaning."""
    if value >= 1000:
        return f"{value:,.0f}"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"
