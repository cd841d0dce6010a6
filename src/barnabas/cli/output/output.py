"""Rows as output: a table on a terminal, tab-separated in a pipe, JSON on request."""

import json
import sys
from collections.abc import Collection, Sequence
from typing import Final

import click

from barnabas.cli.output.printable import printable, printable_lines

Cell = str | int | list[int] | list[str] | None
Row = Sequence[Cell]

json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document."
)
"""The command receives `as_json`."""


class Moment(int):
    """Milliseconds since 1970. A table shows a time and its age, other output the number."""


def show_rows(
    columns: Sequence[str],
    rows: Sequence[Row],
    *,
    title: str,
    as_json: bool,
    short: Collection[str] = (),
) -> None:
    """Print rows; numbers are right-aligned. A pipe gets neither title nor header.

    Invisible characters in names are printed as escapes, except in JSON, which has its own.

    A narrow terminal may get only the columns in `short`.
    """
    if as_json:
        show_json(objects(columns, rows))
    elif sys.stdout.isatty():
        _show_table(columns, rows, title, short)
    else:
        for row in rows:
            print("\t".join(_text(cell) for cell in row))


def notice(what: str) -> None:
    """Print a message on a terminal only; scripts get no output if all is well."""
    if sys.stderr.isatty():
        print(printable_lines(what), file=sys.stderr)


def counted(count: int, one: str, many: str = "") -> str:
    """`1 record`, `2 records`; `many` is an irregular plural."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def objects(columns: Sequence[str], rows: Sequence[Row]) -> list[dict[str, Cell]]:
    """The rows for JSON: an object each, by column."""
    return [dict(zip(columns, row, strict=True)) for row in rows]


def show_json(value: object) -> None:
    """Print one JSON document on one line."""
    print(json.dumps(value, ensure_ascii=False))


def _show_table(
    columns: Sequence[str], rows: Sequence[Row], title: str, short: Collection[str]
) -> None:
    from barnabas.cli.output.moment import time_and_age
    from barnabas.cli.output.tables import Column, show_table
    from barnabas.runtime.clock import SystemClock

    now_ms = SystemClock().time_ms()
    shown = []
    for index, column in enumerate(columns):
        known = [row[index] for row in rows if row[index] is not None]
        moments = any(isinstance(cell, Moment) for cell in known)
        numbers = bool(known) and all(isinstance(cell, int) for cell in known)
        head = column.removesuffix("_ms") if moments or not known else column
        shown.append(Column(head.replace("_", " "), numbers, column in short))
    cells = [
        [
            time_and_age(cell, now_ms) if isinstance(cell, Moment) else _text(cell, ", ")
            for cell in row
        ]
        for row in rows
    ]
    show_table(shown, cells, title)


def _text(cell: Cell, between: str = ",") -> str:
    if isinstance(cell, list):
        return between.join(printable(str(one)) for one in cell)
    return "" if cell is None else printable(str(cell))
