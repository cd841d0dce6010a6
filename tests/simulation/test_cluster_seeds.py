"""A fixed slice of the seeds that `make sim-cluster` runs: what must hold, holds."""

from functools import cache

from sim.runs.outcome import Outcome
from sim.runs.run import report, run_cluster_seed

SLICE = range(1, 5)


@cache
def first_run(seed: int) -> Outcome:
    """Of this process."""
    return run_cluster_seed(seed)


def test_what_must_hold_holds() -> None:
    failed = [outcome for outcome in map(first_run, SLICE) if outcome.problem]
    assert not failed, "\n".join(report(outcome, "--cluster ") for outcome in failed)


def test_the_same_seed_gives_the_same_trace() -> None:
    first = first_run(SLICE[0])
    assert run_cluster_seed(SLICE[0]) == first
    assert first_run(SLICE[1]).digest != first.digest
