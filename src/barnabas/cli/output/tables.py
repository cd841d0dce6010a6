"""Rows as a table on a terminal. A narrow terminal never truncates what must be read."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

_FOLDABLE = 2
"""How many times wider than the terminal a table may be before folding makes it unreadable."""

_SHORT = 12
_ANY_WIDTH = 1_000_000


class Column(NamedTuple):
    """The header of a column, its alignment, and whether it may be truncated."""

    head: str
    right: bool = False
    short: bool = False


def show_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], title: str) -> None:
    """Print rows of text; markup in them is not interpreted.

    If the terminal is much too narrow for a table, each row becomes a block of lines.
    """
    table = Table(title=Text(title, "bold", justify="left"), title_style="")
    for column in columns:
        table.add_column(column.head, justify="right" if column.right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console()
    if _times_too_wide(console, table) > 1:
        _narrow(table, columns)
    if rows and _times_too_wide(console, table) > _FOLDABLE:
        _show_blocks(columns, rows, title)
    else:
        console.print(table)


def _times_too_wide(console: Console, table: Table) -> float:
    unbound = console.options.update(max_width=_ANY_WIDTH)
    return console.measure(table, options=unbound).maximum / console.width


def _narrow(table: Table, columns: Sequence[Column]) -> None:
    table.padding = (0, 0, 0, 0)
    for shown, column in zip(table.columns, columns, strict=True):
        if column.short:
            shown.overflow, shown.max_width = "ellipsis", _SHORT


def _show_blocks(columns: Sequence[Column], rows: Sequence[Sequence[str]], title: str) -> None:
    width = max(len(column.head) for column in columns)
    print(title)
    for row in rows:
        print()
        for column, cell in zip(columns, row, strict=True):
            if cell:
                print(f"{column.head:{width}}  {cell}")
