"""What `barnabas migrate` says at its end: a table of partitions, one of groups, or JSON."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from barnabas.cli.group_moves import COLUMNS as GROUPS
from barnabas.cli.output import Row, counted, show_json, show_rows, tell

PLANNED = ("partition", "source", "next_byte", "end_byte")
DONE = (
    *("partition", "source", "first_byte", "end_byte", "messages", "already_there"),
    *("bytes_left_out", "compared", "deleted"),
)
LEFT_OUT = ("partition", "source", "first_byte", "end_byte", "why")


@dataclass(slots=True)
class MigrationReport:
    """Rows as their columns say. `summary` is about all of it."""

    title: str
    columns: Sequence[str]
    summary: dict[str, object]
    partitions: list[Row] = field(default_factory=list)
    left_out: list[Row] = field(default_factory=list)
    groups: list[Row] | None = None

    @property
    def failed(self) -> bool:
        """Whether a group could not be moved."""
        return any(str(row[-1]).startswith("refused") for row in self.groups or ())

    def show(self, *, as_json: bool) -> None:
        """Print it. What was left out is told on stderr, also to scripts."""
        if as_json:
            show_json(
                self.summary
                | {"partitions": _documents(self.columns, self.partitions)}
                | {"left_out": _documents(LEFT_OUT, self.left_out)}
                | ({} if self.groups is None else {"groups": _documents(GROUPS, self.groups)})
            )
            return
        show_rows(self.columns, self.partitions, title=self.title, as_json=False)
        if self.groups is not None:
            show_rows(GROUPS, self.groups, title="Groups", as_json=False)
            tell(counted(len(self.groups), "position"))
        for _, source, first, end, why in self.left_out:
            print(f"left out: {source} from byte {first} to {end}: {why}", file=sys.stderr)


def _documents(columns: Sequence[str], rows: Sequence[Row]) -> list[dict[str, object]]:
    return [dict(zip(columns, row, strict=True)) for row in rows]
