"""The simulation of clusters can fail: each mistake in the replicas is found within a few seeds."""

import pytest

from sim.runs.run import report, run_cluster_seed
from tests.simulation.cluster_mistakes import CLUSTER_MISTAKES

SEEDS = range(2, 22)


@pytest.mark.parametrize("name", CLUSTER_MISTAKES)
def test_a_mistake_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    CLUSTER_MISTAKES[name](monkeypatch)
    found = next((one for one in map(run_cluster_seed, SEEDS) if one.problem), None)
    assert found is not None, f"{len(SEEDS)} seeds were too few"
    assert f"python -m sim --cluster --seed {found.seed}" in report(found, "--cluster ")
