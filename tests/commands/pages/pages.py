"""What a page of documentation tells its reader to type, and how it is typed here."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import served
from tests.commands.served import Done, but_for_waiting

ROOT = Path(__file__).parents[3]
SECONDS = 560
"""What a program may take; Spark on a busy machine needs minutes."""


def blocks(page: str, language: str = "") -> list[str]:
    """The fenced blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [block for written, block in found if written == language]


def lines(page: str) -> list[str]:
    """The commands of a page."""
    return [line for block in blocks(page) for line in block.splitlines()]


def environment(servers: str, folder: Path) -> dict[str, str]:
    """The command `barnabas` on PATH, with the broker known from the environment."""
    command = folder / "barnabas"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m barnabas "$@"\n')
    command.chmod(0o755)
    return served.environment(servers) | {"PATH": f"{folder}:{os.environ['PATH']}"}


def type_command(line: str, typed: dict[str, str], cwd: Path) -> Done:
    """Run a line of shell; it must succeed."""
    return _ended(["bash", "-o", "pipefail", "-c", line], typed, cwd)


def run_program(program: str, servers: str, typed: dict[str, str], cwd: Path) -> Done:
    """Run a program against another broker than the one it names; it must succeed."""
    file = cwd / "program.py"
    file.write_text(program.replace("localhost:9092", servers))
    return _ended([sys.executable, str(file)], typed, cwd)


def _ended(command: list[str], typed: dict[str, str], cwd: Path) -> Done:
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, check=False, env=typed, cwd=cwd
    )
    if ended.returncode:
        pytest.fail(f"{command[-1]}\n{ended.stdout}\n{ended.stderr}")
    return Done(ended.returncode, ended.stdout, but_for_waiting(ended.stderr))
