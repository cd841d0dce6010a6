"""The rates as tables: as many rows as fit, names of topics and groups made safe to print."""

from collections.abc import Sequence
from typing import Final, TypeVar

from rich.console import Group
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from barnabas.cli.output.printable import printable
from barnabas.cli.top.rates import BrokerRate, GroupRate, RateTables, TopicRate

KEYS: Final = "r records  b bytes  s size  n name  q quit"
_FURNITURE: Final = 9
"""Lines that are no rows: two at the top, the titles and heads of three tables, one at the end."""

_LEAST_ROWS: Final = 3
_Row = TypeVar("_Row")


def screen_of(rates: RateTables, servers: str, order: str, height: int | None) -> Group:
    """Everything on one screen of so many lines (None: all rows), brokers first.

    Groups get a third of what brokers leave, or what they need; topics get the rest.
    """
    records = sum(one.records_per_s for one in rates.topics)
    sized = [one.bytes_per_s for one in rates.topics if one.bytes_per_s is not None]
    summary = f"{records:,.0f} records/s  {_per_s(sum(sized)) if sized else '-'}"
    top = [Text(f"{printable(servers)}  {summary}", "bold")]
    if height is not None:
        top.append(Text(f"topics by {order}; keys: {KEYS}", "dim"))
    notes = [Text(printable(one), "yellow") for one in rates.problems]
    for line in (*top, *notes) if height is not None else top:
        line.no_wrap, line.overflow = True, "ellipsis"
    left = None if height is None else height - _FURNITURE - len(notes)
    brokers, left = _share(rates.brokers, left, 1 / 3)
    groups, left = _share(rates.groups, left, 1 / 3)
    topics, _ = _share(rates.topics, left, 1)
    return Group(
        *top,
        *notes,
        _brokers(brokers, len(rates.brokers)),
        _groups(groups, len(rates.groups)),
        _topics(topics, len(rates.topics)),
    )


def _share(
    rows: Sequence[_Row], lines: int | None, part: float
) -> tuple[Sequence[_Row], int | None]:
    if lines is None:
        return rows, None
    shown = rows[: max(_LEAST_ROWS, int(lines * part))]
    return shown, lines - len(shown)


def _table(title: str, shown: int, count: int, *heads: str) -> Table:
    several = f"{title}, {shown} of {count}" if shown < count else title
    table = Table(
        title=Text(several, "bold"), title_justify="left", box=None, expand=True, pad_edge=False
    )
    table.add_column(heads[0], no_wrap=True, overflow="ellipsis", ratio=1)
    for head in heads[1:]:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def _topics(rows: Sequence[TopicRate], count: int) -> Table:
    table = _table(
        "Topics", len(rows), count, "topic", "partitions", "records/s", "bytes/s", "size"
    )
    for one in rows:
        table.add_row(
            *(Text(printable(one.topic)), f"{one.partitions:,}", f"{one.records_per_s:,.0f}"),
            *(_per_s(one.bytes_per_s), _size(one.bytes)),
        )
    return table


def _groups(rows: Sequence[GroupRate], count: int) -> Table:
    table = _table(
        "Groups", len(rows), count, "group", "type", "state", "members", "lag", "reads/s"
    )
    for one in rows:
        table.add_row(
            *(Text(printable(one.group)), one.type, one.state, f"{one.members:,}"),
            "-" if one.lag is None else f"{one.lag:,}",
            "-" if one.records_per_s is None else f"{one.records_per_s:,.0f}",
        )
    return table


def _brokers(rows: Sequence[BrokerRate], count: int) -> Table:
    table = _table("Brokers", len(rows), count, "broker", "leads", "records/s", "bytes/s", "size")
    for one in rows:
        name = f"{one.broker} {printable(one.address)}{' controller' if one.controller else ''}"
        table.add_row(
            *(Text(name), f"{one.leaders:,}", f"{one.records_per_s:,.0f}"),
            *(_per_s(one.bytes_per_s), _size(one.bytes)),
        )
    return table


def _per_s(count: float | None) -> str:
    return "-" if count is None else f"{decimal(round(count))}/s"


def _size(count: int | None) -> str:
    return "-" if count is None else decimal(count)
