"""A Python process that is late for Spark: its stream is started again, from its checkpoint."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_stream_whose_worker_is_late_is_started_again(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.spark.streams.late_worker_program", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert "starting again, 2 of 3" in ended.stderr
