"""The program in front of Python that gives Spark our daemon."""

import subprocess
import sys
from pathlib import Path

import pytest

from barnabas.spark.sessions.python import quiet_python


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """A program that prints its arguments, in a folder with a space."""
    program = tmp_path / "a folder" / "python3"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("given", "run"),
    [
        (["-m", "pyspark.daemon", "a.worker"], ["-m", "pyspark_barnabas.daemon", "a.worker"]),
        (["-m", "pyspark.worker", "a b"], ["-m", "pyspark.worker", "a b"]),
        (["-c", "print(1)"], ["-c", "print(1)"]),
    ],
)
def test_only_the_daemon_is_another(
    shown: Path, tmp_path: Path, given: list[str], run: list[str]
) -> None:
    program = quiet_python(str(shown), cache=tmp_path / "cache")
    done = subprocess.run([program, *given], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == run


def test_it_is_python_itself_where_there_is_no_room_for_the_program(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert quiet_python(sys.executable, cache=tmp_path / "file") == sys.executable
