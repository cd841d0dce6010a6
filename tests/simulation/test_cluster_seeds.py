"""A fixed slice of the seeds that `make sim-cluster` runs: what must hold, holds."""

from sim.cluster.simulation import ClusterSimulation
from sim.runs.run import report, run_cluster_seed

SLICE = range(1, 6)


def test_what_must_hold_holds() -> None:
    failed = [outcome for outcome in map(run_cluster_seed, SLICE) if outcome.problem]
    assert not failed, "\n".join(report(outcome, "--cluster ") for outcome in failed)


def test_the_same_seed_gives_the_same_trace() -> None:
    first = ClusterSimulation(SLICE[0]).run()
    assert ClusterSimulation(SLICE[0]).run() == first
    assert run_cluster_seed(SLICE[1]).digest != first.digest
