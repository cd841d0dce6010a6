"""`python -m benchmarks.against COMMIT`: what is here beside what was there, in turns, in one run.

The other commit is checked out and built in a temporary directory. Rows: requests by raw
connections, both brokers at once, and records in memory. A row is met where ours is within 10 % of the
other. ROUNDS and SCALE are as for `python -m benchmarks`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from benchmarks.broker import requests
from benchmarks.driver import records
from benchmarks.peers.brokers import POLICY
from benchmarks.plan import Plan
from benchmarks.report.conditions import conditions
from benchmarks.report.result import Result
from benchmarks.report.store import Store
from benchmarks.report.tables import render
from tests.interop.peers.brokers.our_broker import OurBroker

ROOT = Path(__file__).resolve().parents[1]
LOWER, HIGHER = 1.1, 0.9


class BenchThen(OurBroker):
    """The broker of another checkout, with the policy of the comparison."""

    name = "then"

    def __init__(self, sources: Path) -> None:
        super().__init__(properties=POLICY, sources=sources)

    def __enter__(self) -> Self:
        self.start(step=0.001)
        return self


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """The tree of a commit with its kernels compiled; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="against-") as folder:
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", commit], stdout=subprocess.PIPE, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        subprocess.run(build, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        yield Path(folder)


def in_memory(plan: Plan, sources: Path) -> dict[str, tuple[str, float]]:
    """One round of the rows of `records` with the code in `sources`, in a process of its own."""
    program = (
        "import json, sys\n"
        "from benchmarks.plan import Plan\n"
        "from benchmarks.driver.records import measure\n"
        "rows = measure(Plan(1, float(sys.argv[1])))\n"
        "print(json.dumps({row.measure: (row.unit, row.ours[0]) for row in rows}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(plan.scale)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{sources}{os.pathsep}{ROOT}"},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, tuple[str, float]] = json.loads(done.stdout)
    return found


def records_rows(plan: Plan, then: Path) -> list[Result]:
    """The rows of `records`, both checkouts in turns."""
    rounds = [(in_memory(plan, ROOT / "src"), in_memory(plan, then)) for _ in range(plan.rounds)]
    return [
        Result(
            records.GROUP,
            measured,
            unit,
            tuple(ours[measured][1] for ours, _ in rounds),
            tuple(theirs[measured][1] for _, theirs in rounds),
            plan.peer_name,
            better="higher" if "records/s" in unit else "lower",
        )
        for measured, (unit, _) in rounds[0][0].items()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("commit", help="what to compare with, as git names it")
    commit = parser.parse_args().commit
    rounds, scale = int(os.environ.get("ROUNDS", "3")), float(os.environ.get("SCALE", "1"))
    with checkout(commit) as tree:
        sources = tree / "src"
        plan = Plan(rounds, scale, peer=lambda: BenchThen(sources), peer_name=commit, floor=False)
        try:
            found = requests.measure(plan)
        finally:
            plan.close()
        found += records_rows(plan, sources)
    rows = [replace(row, target=LOWER if row.better == "lower" else HIGHER) for row in found]
    store = Store()
    store.put(conditions(f"python -m benchmarks.against {commit}", rounds, scale), rows)
    print(render(store))
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
