"""The load generator in C: run, and its line of JSON parsed."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.c_program import SOURCES, compiled

RUN_SECONDS = 600


class LoadFailed(Exception):
    """The broker answered something else than success."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one request carries: `records` values of `value` bytes."""

    value: int
    records: int

    @property
    def size(self) -> int:
        """Bytes of the batch, as the generator will build it."""
        body = 0
        for index in range(self.records):
            inner = 1 + 1 + _varint(index) + 1 + _varint(self.value) + self.value + 1
            body += _varint(inner) + inner
        return 61 + body

    @classmethod
    def filling(cls, request_bytes: int, value: int) -> "Batch":
        """As many records as fit into `request_bytes`, and at least one."""
        records = max(1, (request_bytes - 61) // (value + 6))
        while records > 1 and cls(value, records).size > request_bytes:
            records -= 1
        return cls(value, records)


def _varint(value: int) -> int:
    """Bytes of a zigzag varint of a number that is not negative."""
    return max(1, ((value << 1).bit_length() + 6) // 7)


def build() -> Path:
    """The compiled program.

    Raises:
        CompileFailed: there is no C compiler, or it refused.
    """
    return compiled("load", sorted(SOURCES.glob("*.c")))


def run_load(mode: str, cpu: int | None = None, /, **settings: int | str) -> dict[str, float]:
    """Run one load (produce, fetch or ping) and return what it measured.

    `settings` are the generator's own names; `cpu` pins the generator to that processor.

    Raises:
        LoadFailed: the broker refused, closed or stayed silent for 30 s.
        CompileFailed: there is no C compiler, or it refused.
    """
    pin = ["taskset", "-c", str(cpu)] if cpu is not None else []
    command = [
        *pin,
        str(build()),
        mode,
        *(f"{name}={value}" for name, value in settings.items()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)
    if done.returncode != 0:
        raise LoadFailed(f"{' '.join(command)}: {done.stderr.strip()}")
    line = json.loads(done.stdout)
    return {name: float(value) for name, value in line.items() if name != "mode"}
