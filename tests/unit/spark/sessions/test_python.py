"""The program in front of Python that gives Spark our daemon, and spares it what it has compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from barnabas.spark.sessions.python import installed_pyspark, python_for_workers


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
    program = python_for_workers(str(shown), cache=tmp_path / "cache")
    done = subprocess.run([program, *given], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == run


def test_it_is_python_itself_where_there_is_no_room_for_the_program(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert python_for_workers(sys.executable, cache=tmp_path / "file") == sys.executable


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("SPARK/python/lib/pyspark.zip:SPARK/python/lib/py4j-0-src.zip:SPARK/jars/core.jar", ""),
        ("SPARK/python/lib/pyspark.zip:/mine/a b:/other/*", "/mine/a b:/other/*"),
        ("/mine:SPARK/python/lib/pyspark.zip:SPARK-2/python/lib", "/mine:SPARK-2/python/lib"),
        ("", ""),
    ],
)
def test_files_that_python_has_compiled_are_left_out(tmp_path: Path, given: str, left: str) -> None:
    folder = tmp_path / "it's spark"
    show = ["-c", "import os; print(os.environ['PYTHONPATH'])"]
    program = python_for_workers(sys.executable, cache=tmp_path / "cache", installed=folder)
    path = given.replace("SPARK", str(folder))
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(
        [program, *show], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == left.replace("SPARK", str(folder))


def test_pyspark_is_installed_here_as_a_folder() -> None:
    folder = installed_pyspark()
    assert folder is not None
    assert (folder / "python" / "lib" / "pyspark.zip").is_file()


def test_no_folder_where_pyspark_comes_from_the_zip() -> None:
    folder = installed_pyspark()
    assert folder is not None
    zips = [str(each) for each in (folder / "python" / "lib").glob("*.zip")]
    show = "from barnabas.spark.sessions.python import installed_pyspark as i; print(i())"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(zips)}
    done = subprocess.run(
        [sys.executable, "-c", show], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "None"
