"""Outcome: what came of a run."""

from typing import NamedTuple


class Outcome(NamedTuple):
    """`problem` is empty if all that must hold did."""

    seed: int
    problem: str
    digest: str
    lines: tuple[str, ...]
    seconds: float
    """Of virtual time."""
