"""What a run leaves for `status`, and that there is only one at a time."""

from pathlib import Path

import pytest

from barnabas.pipelines.projects import run_state
from barnabas.pipelines.projects.errors import ProjectError


def test_a_run_at_a_time(tmp_path: Path) -> None:
    assert not run_state.is_running(tmp_path)
    with run_state.only_run(tmp_path):
        assert run_state.is_running(tmp_path)
        with pytest.raises(ProjectError, match="is being run"), run_state.only_run(tmp_path):
            pass
    assert not run_state.is_running(tmp_path)


def test_what_the_last_run_did(tmp_path: Path) -> None:
    assert run_state.last_run(tmp_path) is None
    state = run_state.begin()
    state.flows["copy"] = "RUNNING"
    run_state.save(tmp_path, state)
    assert run_state.last_run(tmp_path) == state
    run_state.end(tmp_path, state, "no broker")
    last = run_state.last_run(tmp_path)
    assert last is not None
    assert (last.error, last.ended_ms is not None) == ("no broker", True)
