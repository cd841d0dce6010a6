"""A fixed slice of the seeds that `make sim` runs: what must hold, holds."""

from sim.runs.run import report, run_seed

SLICE = range(1, 17)


def test_what_must_hold_holds() -> None:
    failed = [outcome for outcome in map(run_seed, SLICE) if outcome.problem]
    assert not failed, "\n".join(report(outcome) for outcome in failed)
