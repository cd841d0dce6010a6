"""`python -m benchmarks`: measure groups of rows, keep them in results.json, write docs/speed.md and .svg.

ONLY=requests,records selects groups. ROUNDS=3 is how often each is measured. SCALE=0.1 makes a trial,
which is printed and published nowhere. What was measured is kept after each group, and what a group
has so far where it is interrupted (Ctrl-C).
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.peers.c_program import CompileFailed
from benchmarks.plan import Plan
from benchmarks.report import chart, store, tables
from benchmarks.report.conditions import Run, conditions
from benchmarks.report.result import Result
from benchmarks.report.store import Store
from benchmarks.report.theft import Theft
from tests.interop.peers.missing import PeerMissing

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
DOCS = HERE.parent / "docs"

# A module for each group, with `measure(plan) -> list[Result]`.
GROUPS = {
    **{
        name: f"broker.{name}"
        for name in (
            *("requests", "instructions", "coordinators", "idle", "loading", "resident"),
            *("opening", "at_size", "cluster", "processors", "compaction", "conversion"),
            "kafka07",
        )
    },
    "clients": "driver.clients",
    "records": "driver.records",
    "spark": "spark.connector",
    "spark_streams": "spark.streams",
    "spark_directories": "spark.directories",
    "console": "people.console",
    "terminal": "people.terminal",
}

CHART = {
    "produce, 64 KB of 1 KiB records": "Produce, batches of 64 KB",
    "produce, 1 MB of 1 KiB records": "Produce, batches of 1 MB",
    "produce, 1 KiB, five in flight": "Produce, single records of 1 KiB",
    "one message there and back, p50": "One message there and back, time",
    "one message there and back, CPU": "One message there and back",
    "fetch, answers of 1 MB": "Fetch, 1 MB",
    "fetch, answers of 64 KB": "Fetch, 64 KB",
    "heartbeat, one behind the other": "Heartbeat",
    "offset commit, one behind the other": "Offset commit",
    "transactions of 100 records of 100 B, CPU": "Transaction of 100 records",
    "1,000 members of classic groups, a heartbeat every 3 s": "1,000 consumers at rest",
}
"""The rows of the chart: what is measured, and the label."""


class Publication:
    """Where figures go: the store and the documents, or nowhere but to the screen."""

    def __init__(self, run: Run, *, publishes: bool) -> None:
        self.run = run
        self.publishes = publishes
        self.trial = Store()

    def add(self, results: Sequence[Result], whole: Sequence[str] = ()) -> None:
        """Keep rows; `whole` names groups that have all of theirs."""
        self.trial.put(self.run, results)
        if self.publishes:
            published = store.read(RESULTS)
            published.put(self.run, results, whole=whole)
            published.write(RESULTS)
            publish(published)


def publish(published: Store) -> None:
    """Write the tables and the chart."""
    tables.put_into(DOCS / "speed.md", published)
    ratios = {
        result.measure: result.ratio
        for result in published.results()
        if result.peer_name.startswith("Kafka") and result.ratio is not None
    }
    rows = [(label, ratios[measure]) for measure, label in CHART.items() if measure in ratios]
    if rows:
        picture = chart.bars(
            "The broker's work beside Apache Kafka's",
            "Processor time for the same requests (time where it says so); shorter is better.",
            "Kafka 4.3 = 1",
            rows,
        )
        (DOCS / "speed.svg").write_text(picture)


def run_group(group: str, plan: Plan) -> list[Result]:
    """The rows of one group.

    Raises:
        PeerMissing: what it compares with does not run here.
        CompileFailed: it needs a C compiler.
    """
    module = import_module(f"benchmarks.{GROUPS[group]}")
    measure: Callable[[Plan], list[Result]] = module.measure
    begun, theft = time.monotonic(), Theft()
    found = measure(plan)
    seconds = time.monotonic() - begun
    plan.progress(f"measured {group} in {seconds:.0f} s; {theft} of it the host gave to others\n")
    return found


def run_all(groups: Sequence[str], plan: Plan, publication: Publication) -> None:
    """Measure group by group, and keep each."""
    for number, group in enumerate(groups, 1):
        plan.progress(f"{group}: group {number} of {len(groups)}")
        try:
            found = run_group(group, plan)
            publication.add(found, whole=[result.group for result in found])
        except (PeerMissing, CompileFailed) as error:
            plan.notes.append(f"{group} was left out: {error}")
        except KeyboardInterrupt:
            publication.add(plan.unfinished())
            plan.notes.append(f"interrupted in {group}")
            return


def main() -> int:
    wanted = [name for name in os.environ.get("ONLY", "").split(",") if name] or list(GROUPS)
    if unknown := set(wanted) - set(GROUPS):
        print(f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
        return 2
    plan = Plan(int(os.environ.get("ROUNDS", "3")), float(os.environ.get("SCALE", "1")))
    only = f"ONLY={','.join(wanted)} " if wanted != list(GROUPS) else ""
    run = conditions(f"{only}make bench", plan.rounds, plan.scale)
    publication = Publication(run, publishes=plan.scale == 1)
    try:
        run_all(wanted, plan, publication)
    finally:
        plan.close()
    print(tables.render(publication.trial))
    print("\n".join(plan.notes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
