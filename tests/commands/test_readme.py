"""Each command and each program of README, typed as it stands, against a broker on another port."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import served
from tests.commands.served import Served, serving

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line
    for language, block in BLOCKS
    for line in block.splitlines()
    if not language and "barnabas" in line and not re.match(r"(pip|barnabas serve)", line)
]
SERVES = [
    line
    for language, block in BLOCKS
    for line in block.splitlines()
    if not language and line.startswith("barnabas serve")
]
LOG = Path(__file__).parents[1] / "vectors" / "logs" / "kafka-4.3.0" / "corpus-0"
PROGRAMS = [block for language, block in BLOCKS if language == "python"]


@pytest.fixture(scope="module")
def broker() -> Iterator[Served]:
    with serving("--ephemeral") as served:
        yield served


@pytest.fixture(scope="module")
def environment(broker: Served, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The command `barnabas` on PATH, with the broker known from the environment."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "barnabas"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m barnabas "$@"\n')
    command.chmod(0o755)
    return served.environment(broker.servers) | {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_there_is_something_to_try() -> None:
    assert len(COMMANDS) >= 10
    assert len(SERVES) >= 4
    assert len(PROGRAMS) >= 3


def test_every_command_works_in_its_order(environment: dict[str, str], tmp_path: Path) -> None:
    # What `barnabas log` looks at: README's data directory, with a log in it.
    shutil.copytree(LOG, tmp_path / "my-data" / "animals-0")
    for line in COMMANDS:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=environment,
            cwd=tmp_path,
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert not done.stderr, line


@pytest.mark.parametrize("program", [one for one in PROGRAMS if "spark" not in one])
def test_every_program_runs(
    program: str, broker: Served, environment: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "program.py"
    file.write_text(program.replace("localhost:9092", broker.servers))
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
