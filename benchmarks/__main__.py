"""`python -m benchmarks`: measure the groups in ONLY (all without it) and write RESULTS.md.

ONLY=produce,fetch selects; ROUNDS=1 SCALE=0.1 make a trial, which is printed and not written.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from benchmarks.plan import Plan
from benchmarks.report import render
from benchmarks.results import Result

RESULTS = Path(__file__).with_name("RESULTS.md")

# A module of this package for each group, with `measure(plan) -> list[Result]`.
GROUPS = ("produce", "fetch", "resident", "clients", "records", "spark")
AGAINST_KAFKA = ("produce", "fetch")


def run_group(group: str, plan: Plan) -> list[Result]:
    """The rows of one group."""
    measure: Callable[[Plan], list[Result]] = import_module(f"benchmarks.{group}").measure
    print(f"measuring {group} ...", file=sys.stderr, flush=True)
    return measure(plan)


def main() -> int:
    wanted = [name for name in os.environ.get("ONLY", "").split(",") if name] or list(GROUPS)
    unknown = set(wanted) - set(GROUPS)
    if unknown:
        print(f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
        return 2
    plan = Plan(int(os.environ.get("ROUNDS", "3")), float(os.environ.get("SCALE", "1")))
    results: list[Result] = []
    try:
        for group in wanted:
            results += run_group(group, plan)
            if group in AGAINST_KAFKA:
                plan.pinned = False
                results += run_group(group, plan)
                plan.pinned = True
    finally:
        plan.close()
    text = render(results, plan.notes)
    print(text)
    if set(wanted) == set(GROUPS) and plan.scale == 1:
        RESULTS.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
