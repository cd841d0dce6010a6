"""The simulation can fail: each mistake that is put into the broker is found within a few seeds."""

import pytest

from barnabas.sim.run import report, run_seed
from tests.simulation.mistakes import MISTAKES

MOST_SEEDS = 60


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MISTAKES[name](monkeypatch)
    outcomes = map(run_seed, range(1, MOST_SEEDS + 1))
    found = next((outcome for outcome in outcomes if outcome.problem), None)
    assert found is not None, f"{MOST_SEEDS} seeds were too few"
    assert f"python -m barnabas.sim --seed {found.seed}" in report(found)
