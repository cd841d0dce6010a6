"""The published rows as Markdown, in the place that a document keeps for them."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.report.result import Result, figure, spread
from benchmarks.report.store import Store

BEGIN, END = "<!-- make bench writes from here -->", "<!-- to here -->"
FLOOR = "floor"
Row = tuple[int, Result]


def put_into(document: Path, store: Store) -> None:
    """Replace what stands between the two marks of a document.

    Raises:
        ValueError: it does not have both.
    """
    before, begin, rest = document.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{document} has no place for tables: {BEGIN} and {END}")
    document.write_text(f"{before}{BEGIN}\n\n{render(store)}\n{END}{after}")


def render(store: Store) -> str:
    """All tables, the misses before and the runs behind them."""
    parts = [_misses(store.results())]
    for group, rows in groupby(store.rows, key=lambda row: row[1].group):
        parts.append(f"## {group}\n\n{_group(list(rows))}")
    runs = "\n".join(f"{number}. {run}" for number, run in enumerate(store.runs, 1))
    parts.append(f"## Runs\n\n{runs}\n")
    return "\n".join(parts)


def _misses(results: Sequence[Result]) -> str:
    held = [result for result in results if result.met is not None]
    missed = [result for result in held if not result.met]
    lines = [f"{len(held) - len(missed)} of {len(held)} goals are met. Missed:", ""]
    lines += [
        f"- {miss.group}: {miss.measure} {_reached(miss)} for {_goal(miss)}"
        + (f" of {miss.peer_name}" if miss.peer_name else "")
        for miss in missed
    ]
    return "\n".join((*lines, ""))


def _reached(result: Result) -> str:
    return spread(result.ours) if result.ratio is None else f"{result.ratio:.2f}x"


def _goal(result: Result) -> str:
    if result.target is None:
        return ""
    sign = "≤" if result.better == "lower" else "≥"
    return f"{sign} {figure(result.target)}{'x' if result.peer_name else ' ' + result.unit}"


def _group(rows: Sequence[Row]) -> str:
    return _with_floor(rows) if any(row.peer_name == FLOOR for _, row in rows) else _plain(rows)


def _plain(rows: Sequence[Row]) -> str:
    lines = ["| what | unit | ours | theirs | ratio | goal | | run |"]
    lines.append("|---|---|---:|---:|---:|---:|---|---:|")
    for run, row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
        theirs = f"{spread(row.peer)} ({row.peer_name})" if row.peer else ""
        verdict = {True: "met", False: "**missed**", None: ""}[row.met]
        tail = " ".join(filter(None, (verdict, row.note)))
        cells = (row.measure, row.unit, spread(row.ours), theirs, ratio, _goal(row), tail)
        lines.append(f"| {' | '.join(cells)} | {run + 1} |")
    return "\n".join((*lines, ""))


def _with_floor(rows: Sequence[Row]) -> str:
    """One line for each measure: ours, the floor and Kafka side by side."""
    lines = ["| what | unit | ours | floor | Kafka | of the floor | of Kafka | goal | run |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for (measure, unit), same in groupby(rows, key=lambda row: (row[1].measure, row[1].unit)):
        of = list(same)
        run, row = of[0]
        alone, floor, kafka = (_side(of, side) for side in ("", FLOOR, "Kafka"))
        cells = [measure, unit, spread(row.ours)]
        cells += [spread(side.peer) if side else "" for side in (floor, kafka)]
        cells += [_judged(side) for side in (floor, kafka)]
        goals = [_goal(side) for side in (floor, kafka, alone) if side and side.target is not None]
        lines.append(f"| {' | '.join(cells)} | {', '.join(goals)} | {run + 1} |")
    return "\n".join((*lines, ""))


def _side(rows: Iterable[Row], name: str) -> Result | None:
    found = (row for _, row in rows if row.peer_name.partition(" ")[0] == name)
    return next(found, None)


def _judged(result: Result | None) -> str:
    if result is None or result.ratio is None:
        return ""
    return f"**{result.ratio:.2f}x**" if result.met is False else f"{result.ratio:.2f}x"
