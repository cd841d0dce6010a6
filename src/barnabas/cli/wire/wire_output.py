"""Decoded frames as output: tables, tab-separated lines, JSON, or one line each."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from barnabas.cli.output.output import show_json
from barnabas.lens.capture.conversation import SentFrame
from barnabas.lens.capture.reading import Arrival
from barnabas.lens.part_rows import part_rows, value_text
from barnabas.lens.summary import brief
from barnabas.lens.walks.part import Part

_COLUMNS = ("offset", "hex", "field", "value", "meaning")
_STYLES = ("cyan", "", "green", "bold", "")


class Style(NamedTuple):
    """How to print frames. `full`: do not shorten long values."""

    as_json: bool = False
    in_brief: bool = False
    full: bool = False


def show(sent: SentFrame, style: Style, arrival: Arrival | None = None) -> None:
    """Print one frame; `arrival` has its time and connection."""
    if style.as_json:
        show_json(_document(sent, arrival))
    elif style.in_brief:
        _line(brief_line(sent, arrival))
    elif sys.stdout.isatty():
        _show_table(sent, style, arrival)
    else:
        for line in text_lines(sent, style, arrival):
            _line(line)


def brief_line(sent: SentFrame, arrival: Arrival | None = None) -> str:
    """Sender, time and kind of a frame."""
    arrow = "->" if sent.from_client else "<-"
    return f"{_when(arrival)}{arrow} {brief(sent.explained)}"


def _when(arrival: Arrival | None) -> str:
    if arrival is None:
        return ""
    time = datetime.fromtimestamp(arrival.time_ns / 1e9, UTC).strftime("%H:%M:%S.%f")[:-3]
    return f"{time} {arrival.connection} {arrival.client} "


def _title(sent: SentFrame, arrival: Arrival | None) -> str:
    where = f" at byte {sent.position} of the stream" if sent.position else ""
    return f"{_when(arrival)}{sent.explained.title}{where}"


def text_lines(sent: SentFrame, style: Style, arrival: Arrival | None = None) -> Iterator[str]:
    """A frame as lines: a title, its fields as tab-separated columns, its mistakes."""
    found = sent.explained
    yield f"# {_title(sent, arrival)}"
    if found.meaning:
        yield f"# {found.meaning}"
    for row in part_rows(found, full=style.full):
        yield "\t".join(row[:5])
    for fault in found.faults:
        yield f"mistake at {fault}"
    yield ""


def _show_table(sent: SentFrame, style: Style, arrival: Arrival | None) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    found = sent.explained
    caption = "\n".join(f"[red]mistake at {escape(str(fault))}[/red]" for fault in found.faults)
    table = Table(
        title=f"[bold]{escape(_title(sent, arrival))}[/bold]\n{escape(found.meaning)}",
        caption=caption or None,
        title_justify="left",
        caption_justify="left",
        title_style="",
        caption_style="",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for column, kind in zip(_COLUMNS, _STYLES, strict=True):
        table.add_column(column, style=kind, overflow="fold")
    for row in part_rows(found, full=style.full):
        table.add_row(*(escape(cell) for cell in row[:5]), style="red" if row.wrong else None)
    Console().print(table)


def _document(sent: SentFrame, arrival: Arrival | None) -> dict[str, object]:
    found = sent.explained
    seen = {} if arrival is None else {
        "time_ns": arrival.time_ns, "connection": arrival.connection, "client": arrival.client,
    }  # fmt: skip
    return {
        **seen,
        "kind": found.kind,
        "api": found.name,
        "version": found.version,
        "correlation_id": found.correlation_id,
        "client_id": found.client_id,
        "meaning": found.meaning,
        "position": sent.position,
        "size": len(found.data),
        "fields": _fields(found.parts, found.data),
        "mistakes": [fault._asdict() for fault in found.faults],
    }


def _fields(parts: tuple[Part, ...], data: bytes) -> list[dict[str, object]]:
    return [
        {
            "offset": part.start,
            "hex": data[part.start : part.end].hex(),
            "field": part.path,
            "type": part.kind,
            "value": value_text(part, full=True) if isinstance(part.value, bytes) else part.value,
            "meaning": part.meaning,
        }
        | ({} if part.inside is None else {"inside": _fields(part.inside.parts, part.inside.data)})
        for part in parts
    ]


def _line(text: str) -> None:
    print(text, flush=True)
