"""benchmarks/RESULTS.md: every row with rounds, ratio and target; misses are named first."""

import os
import platform
import subprocess
from collections.abc import Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path

from benchmarks.results import Result, figure, spread

INTRODUCTION = """# Measured

Written by `make bench`; do not edit. Figures are `min / median` of rounds in which every side takes
its turn; ratios are of medians, ours over theirs. CPU-s/GB: CPU seconds of the broker's process
(CLOCK_PROCESS_CPUTIME_ID, read just before and after) for 10^9 bytes sent or answered. Both brokers
have the same bounded log on warm pages (`benchmarks/brokers.py`), real Kafka is warmed with 3 GB
and 40,000 small requests, and the load comes from `benchmarks/load` over loopback. "One processor":
broker and load are held on the same one, which repeats best; "two": neither is held. Where the time
goes that missed targets would have to save: [docs/speed.md](../docs/speed.md).
"""


def conditions() -> str:
    """The machine and the versions, as lines of Markdown."""
    kernels = import_module("barnabas.kernels")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return "\n".join(
        (
            (
                f"- {platform.system()} {platform.release()}, {os.cpu_count()} processors "
                f"({_processor()}), {memory:.0f} GiB"
            ),
            f"- {_commit()}",
            f"- Python {platform.python_version()}, kernels {kernels.implementation}",
        )
    )


def _commit() -> str:
    """Which code was measured."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        named = subprocess.check_output([*git, "describe", "--always", "--dirty"], text=True)
    except (OSError, subprocess.CalledProcessError):
        return "not a checkout"
    return f"commit {named.strip()}"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def render(results: Sequence[Result], notes: Sequence[str]) -> str:
    """The whole file."""
    parts = [INTRODUCTION, conditions(), *(f"- {note}" for note in notes), ""]
    missed = [result for result in results if result.met is False]
    if missed:
        parts.append(f"{len(missed)} of {_held(results)} targets are missed:\n")
        parts += [*(f"- {_miss(result)}" for result in missed), ""]
    for group, rows in groupby(results, key=lambda result: result.group):
        parts += [f"## {group}\n", _table(list(rows))]
    return "\n".join(parts)


def _held(results: Sequence[Result]) -> int:
    return sum(result.met is not None for result in results)


def _miss(result: Result) -> str:
    reached = f"{result.ratio:.2f}x" if result.ratio is not None else spread(result.ours)
    return f"{result.group}: {result.measure} {reached} for {_target(result)}"


def _target(result: Result) -> str:
    if result.target is None:
        return ""
    sign = "<=" if result.better == "lower" else ">="
    return f"{sign} {figure(result.target)}{'x' if result.peer_name else ' ' + result.unit}"


def _table(rows: Sequence[Result]) -> str:
    lines = [
        "| what | unit | ours | theirs | ratio | target | |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        ratio = f"{row.ratio:.2f}x" if row.ratio is not None else ""
        theirs = f"{spread(row.peer)} ({row.peer_name})" if row.peer else ""
        verdict = {True: "met", False: "**missed**", None: ""}[row.met]
        tail = " ".join(filter(None, (verdict, row.note)))
        lines.append(
            f"| {row.measure} | {row.unit} | {spread(row.ours)} | {theirs} | {ratio} "
            f"| {_target(row)} | {tail} |"
        )
    return "\n".join((*lines, ""))
