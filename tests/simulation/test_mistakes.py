"""The simulation can fail: each mistake that is put into the broker is found within a few seeds."""

from collections.abc import Mapping

import pytest

from sim.runs.run import report, run_seed
from tests.simulation.mistakes import MISTAKES

MOST_SEEDS = 60
FIRST_SEEDS: Mapping[str, int] = {
    "acknowledge_commits_first": 18,
    "acknowledge_unflushed": 4,
    "take_commits_of_zombies": 3,
    "store_repetitions": 4,
    "recall_one_batch": 4,
    "forget_by_timestamps": 19,
    "forget_what_was_aborted": 4,
    "show_open_transactions": 18,
    "take_commits_of_consumer_zombies": 33,
    "hand_over_too_soon": 2,
    "remove_nothing": 4,
    "keep_nothing_of_shares": 4,
    "deliver_what_is_in_hand": 2,
    "deliver_suspects_together": 16,
    "deliver_too_often": 4,
    "give_up_at_once": 2,
    "count_offsets_at_once": 7,
    "forget_offsets_of_transactions": 4,
    "tell_offsets_too_soon": 7,
    "give_tasks_too_soon": 2,
    "stand_by_beside_oneself": 2,
    "take_commits_of_streams_zombies": 42,
    "have_nobody_stand_by": 2,
    "keep_nothing_of_tasks": 2,
    "take_newer_topologies": 2,
    "take_other_topologies": 18,
    "call_no_topology_old": 18,
    "end_behind_backs": 15,
    "end_for_ever": 2,
    "keep_what_changed_of_shares": 33,
    "remove_only_what_is_there": 21,
    "end_only_the_group": 21,
    "drop_markers": 12,
}
"""Where to begin: what has nothing to do with a mistake need not be run again and again."""


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MISTAKES[name](monkeypatch)
    first = FIRST_SEEDS.get(name, 1)
    outcomes = map(run_seed, range(first, first + MOST_SEEDS))
    found = next((outcome for outcome in outcomes if outcome.problem), None)
    assert found is not None, f"{MOST_SEEDS} seeds were too few"
    assert f"python -m sim --seed {found.seed}" in report(found)
