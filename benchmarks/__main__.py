"""`python -m benchmarks`: measure the groups in ONLY (all without it) and write RESULTS.md.

ONLY=produce,fetch selects; ROUNDS=1 SCALE=0.1 make a trial. Only a whole run goes to RESULTS.md;
any other is printed alone, and written to the file that RESULTS names, if it names one.
"""

import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from benchmarks.plan import Plan
from benchmarks.report import render
from benchmarks.results import Result
from benchmarks.theft import Theft

RESULTS = Path(__file__).with_name("RESULTS.md")

# A module of this package for each group, with `measure(plan) -> list[Result]`.
GROUPS = (
    *("produce", "fetch", "resident", "clients", "records"),
    *(
        "conversion",
        "opening",
        "at_size",
        "compaction",
        "coordinators",
        "idle",
        "loading",
        "kafka07",
    ),
    *("spark", "spark_directories"),
)
AGAINST_KAFKA = ("produce", "fetch")


def run_group(group: str, plan: Plan) -> list[Result]:
    """The rows of one group."""
    measure: Callable[[Plan], list[Result]] = import_module(f"benchmarks.{group}").measure
    begun = time.monotonic()
    print(f"measuring {group} ...", file=sys.stderr, flush=True)
    found = measure(plan)
    print(f"measured {group} in {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return found


def main() -> int:
    wanted = [name for name in os.environ.get("ONLY", "").split(",") if name] or list(GROUPS)
    unknown = set(wanted) - set(GROUPS)
    if unknown:
        print(f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
        return 2
    plan = Plan(int(os.environ.get("ROUNDS", "3")), float(os.environ.get("SCALE", "1")))
    plan.notes.append(
        f"{plan.rounds} rounds, loads of {plan.scale:g} times the usual length; load average "
        f"before {os.getloadavg()[0]:.1f}"
    )
    results: list[Result] = []
    taken: list[str] = []
    try:
        for group in wanted:
            theft = Theft()
            results += run_group(group, plan)
            if group in AGAINST_KAFKA:
                plan.pinned = False
                results += run_group(group, plan)
                plan.pinned = True
            taken.append(f"{group} {theft}")
    finally:
        plan.close()
    plan.notes.append(f"of the processors' time the host gave to others: {', '.join(taken)}")
    text = render(results, plan.notes)
    print(text)
    whole = set(wanted) == set(GROUPS) and plan.scale == 1
    if target := os.environ.get("RESULTS") or (whole and RESULTS):
        Path(target).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
