"""Work in steps, done to its end."""

from collections.abc import Generator
from typing import Any, TypeVar

Outcome = TypeVar("Outcome")


def outcome_of(steps: Generator[Any, Any, Outcome]) -> Outcome:
    """What the steps return; none of them may wait for anything."""
    while True:
        try:
            assert next(steps) is None
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome
