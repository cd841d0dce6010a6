"""The result of `barnabas migrate`: a table of partitions, one of groups, or JSON."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from barnabas.cli.migrate.group_moves import COLUMNS as GROUPS
from barnabas.cli.output.output import Row, counted, notice, objects, show_json, show_rows

PLANNED = ("partition", "source", "next_byte", "end_byte")
DONE = (
    *("partition", "source", "first_byte", "end_byte", "messages", "already_there"),
    *("bytes_left_out", "compared", "deleted"),
)
_BRIEF = ("partition", "source", "next_byte", "end_byte", "messages", "compared")
LEFT_OUT = ("partition", "source", "first_byte", "end_byte", "why")


@dataclass(slots=True)
class MigrationReport:
    """Rows under their columns. `summary` describes the whole run."""

    title: str
    columns: Sequence[str]
    summary: dict[str, object]
    partitions: list[Row] = field(default_factory=list)
    left_out: list[Row] = field(default_factory=list)
    not_yet: list[Row] = field(default_factory=list)
    groups: list[Row] | None = None

    @property
    def failed(self) -> bool:
        """Whether a group could not be moved."""
        return any(str(row[-1]).startswith("refused") for row in self.groups or ())

    def _column(self, name: str) -> list[int]:
        if name not in self.columns:
            return []
        at = self.columns.index(name)
        return [cell for row in self.partitions if isinstance(cell := row[at], int)]

    def show(self, *, as_json: bool) -> None:
        """Print it. Stderr lists what was left out, also in scripts."""
        if as_json:
            show_json(
                self.summary
                | {"partitions": objects(self.columns, self.partitions)}
                | {"left_out": objects(LEFT_OUT, self.left_out)}
                | {"not_yet": objects(LEFT_OUT, self.not_yet)}
                | ({} if self.groups is None else {"groups": objects(GROUPS, self.groups)})
            )
            return
        columns, rows = self.columns, self.partitions
        if sys.stdout.isatty():
            # The table has no room for the other columns, which are mostly 0 and printed below.
            chosen = [at for at, name in enumerate(columns) if name in _BRIEF]
            columns = [columns[at] for at in chosen]
            rows = [[row[at] for at in chosen] for row in rows]
        show_rows(columns, rows, title=self.title, as_json=False)
        if self.groups is not None:
            show_rows(GROUPS, self.groups, title="Groups", as_json=False)
            notice(counted(len(self.groups), "position"))
        deleted = sum(self._column("deleted"))
        if deleted:
            notice(f"retention has already deleted {counted(deleted, 'record')} of the target")
        for _, source, first, end, why in self.left_out:
            print(f"left out: {source} from byte {first} to {end}: {why}", file=sys.stderr)
        for _, source, first, end, why in self.not_yet:
            print(
                f"not yet: {source} from byte {first} to {end}: {why}; the next run tries again",
                file=sys.stderr,
            )
