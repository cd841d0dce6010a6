"""What a run was made under: when, with which code, Python and machine, and how busy that was."""

import os
import platform
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

BUSY = 0.5
"""Processes that wait for a processor, for each processor, from which a machine is busy."""


@dataclass(frozen=True, slots=True)
class Run:
    """One call of the benchmarks; every row names the one that measured it."""

    command: str
    date: str
    commit: str
    python: str
    machine: str
    load: str

    def __str__(self) -> str:
        """One line of Markdown."""
        return (
            f"`{self.command}`, {self.date}, commit {self.commit}, {self.python}, "
            f"{self.machine}; {self.load}"
        )


def conditions(command: str, rounds: int, scale: float) -> Run:
    """A run that begins now."""
    waiting = os.getloadavg()[0]
    busy = "busy" if waiting > BUSY * (os.cpu_count() or 1) else "quiet"
    length = "" if scale == 1 else f", {scale:g} times the length"
    return Run(
        command=command,
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        commit=_commit(),
        python=f"{python_build(sysconfig.get_config_vars())}, kernels {_kernels()}",
        machine=_machine(),
        load=f"{rounds} rounds{length}, {busy} machine (load average {waiting:.1f} before)",
    )


def python_build(variables: Mapping[str, object]) -> str:
    """Which Python this is and how it was optimised, as far as its build tells (`sysconfig`)."""
    arguments = str(variables.get("CONFIG_ARGS") or "")
    kinds = [
        kind
        for flag, kind in (("--enable-optimizations", "PGO"), ("--with-lto", "LTO"))
        if flag in arguments
    ]
    if kinds:
        built = f"optimised ({', '.join(kinds)})"
    elif str(variables.get("prefix")) == "/usr":
        built = "of the distribution, which does not record its optimisation"
    else:
        built = "not optimised (no PGO, no LTO)"
    return f"Python {platform.python_version()} {built}"


def _kernels() -> str:
    return str(import_module("barnabas.kernels").implementation)


def _machine() -> str:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return (
        f"{platform.system()} {platform.release()}, {os.cpu_count()} processors "
        f"({_processor()}), {memory:.0f} GiB"
    )


def _commit() -> str:
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        return subprocess.check_output([*git, "describe", "--always", "--dirty"], text=True).strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"
