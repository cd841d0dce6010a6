"""Every figure that is published, as JSON: a run takes the place of the rows that it measured again."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.report.conditions import Run
from benchmarks.report.result import Result


@dataclass(slots=True)
class Store:
    """The published rows, each with the number of its run."""

    runs: list[Run] = field(default_factory=list)
    rows: list[tuple[int, Result]] = field(default_factory=list)

    def put(self, run: Run, results: Sequence[Result], *, whole: Sequence[str] = ()) -> None:
        """Take in what a run measured.

        `whole` names groups that are complete: what they do not have any more goes.
        """
        measured = {_key(result) for result in results}
        kept = [
            (self.runs[number], result)
            for number, result in self.rows
            if _key(result) not in measured and result.group not in whole
        ]
        order = {group: index for index, group in enumerate(dict.fromkeys(self._groups()))}
        found = [*kept, *((run, result) for result in results)]
        found.sort(key=lambda row: order.setdefault(row[1].group, len(order)))
        self.runs = list(dict.fromkeys(made for made, _ in found))
        self.rows = [(self.runs.index(made), result) for made, result in found]

    def results(self) -> list[Result]:
        """All rows."""
        return [result for _, result in self.rows]

    def _groups(self) -> list[str]:
        return [result.group for _, result in self.rows]

    def write(self, path: Path) -> None:
        """Replace the file."""
        rows = [{"run": number, **asdict(result)} for number, result in self.rows]
        found = {"runs": [asdict(run) for run in self.runs], "rows": rows}
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        beside.replace(path)


def read(path: Path) -> Store:
    """What a file holds; an empty store where there is none."""
    if not path.exists():
        return Store()
    found = json.loads(path.read_text())
    store = Store([Run(**run) for run in found["runs"]])
    for row in found["rows"]:
        number = row.pop("run")
        row["ours"], row["peer"] = tuple(row["ours"]), tuple(row["peer"])
        store.rows.append((number, Result(**row)))
    return store


def _key(result: Result) -> tuple[str, str, str, str]:
    return result.group, result.measure, result.unit, result.peer_name
