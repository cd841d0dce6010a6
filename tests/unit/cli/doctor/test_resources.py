"""Doctor on the disk."""

import shutil
from pathlib import Path

import pytest

from barnabas.cli.doctor.finding import Verdict
from barnabas.cli.doctor.resources import check_directory


@pytest.mark.parametrize(
    ("free", "state"), [(0, Verdict.PROBLEM), (1 << 28, Verdict.WARNING), (1 << 39, Verdict.OK)]
)
def test_a_full_disk_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, state: Verdict
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: (1 << 40, 0, free))
    room = check_directory(str(tmp_path))[-1]
    assert (room.check, room.state) == ("disk", state)
    assert ("full: 0.0 MB" in room.found) is (free == 0)
