"""A broker started as a user starts it, and commands run as a user runs them."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BARNABAS = [sys.executable, "-m", "barnabas"]
SOURCE = Path(__file__).parents[2] / "src"
SECONDS = 60
_WAITING = re.compile(r"^barnabas: \S+ has not answered yet, still trying .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@dataclass(frozen=True)
class Served:
    """A running broker, by the place that clients get."""

    servers: str
    process: subprocess.Popen[str]
    announced: Mapping[str, Any] = field(default_factory=dict)
    """The line of JSON that it printed."""

    def run(self, *arguments: str, stdin: str | bytes = "") -> Done:
        """Run `barnabas` with its broker known from the environment."""
        return run(*arguments, stdin=stdin, servers=self.servers)


def environment(servers: str) -> dict[str, str]:
    """Where a command finds this package and the broker."""
    return os.environ | {"PYTHONPATH": str(SOURCE), "BARNABAS_BOOTSTRAP_SERVERS": servers}


def but_for_waiting(err: str) -> str:
    """What was printed on stderr, without the word that an answer takes long: any may, if all is slow."""
    return _WAITING.sub("", err)


def run(
    *arguments: str, stdin: str | bytes = "", servers: str = "localhost:1", waiting: bool = False
) -> Done:
    """Run `barnabas`. `waiting`: also notice of its word that an answer takes long."""
    ended = subprocess.run(
        [*BARNABAS, *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env=environment(servers),
    )
    err = ended.stderr.decode()
    return Done(ended.returncode, ended.stdout.decode(), err if waiting else but_for_waiting(err))


@contextlib.contextmanager
def serving(
    *arguments: str, cwd: Path | None = None, command: Sequence[str] = ()
) -> Iterator[Served]:
    """`barnabas serve` on a free port until the context ends; it must then end in order.

    `command`: the whole command instead; it must ask for JSON.
    """
    process = subprocess.Popen(
        command or [*BARNABAS, "serve", "--port", "0", "--json", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=environment(""),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        announced = json.loads(line)
        yield Served(announced["bootstrap_servers"], process, announced)
    finally:
        process.terminate()
        process.wait(SECONDS)
        process.stdout.close()
        process.stderr.close()
