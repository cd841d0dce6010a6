"""Explained frames for people and machines: tables, lines with tabs, JSON, or one line for each."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from barnabas.cli.output.output import show_json
from barnabas.lens.capture.conversation import Told
from barnabas.lens.capture.reading import Heard
from barnabas.lens.summary import brief
from barnabas.lens.walks.part import Explained, Fault, Part
from barnabas.lens.walks.words import uuid_text

_MOST_BYTES = 64
_COLUMNS = ("offset", "hex", "field", "value", "meaning")
_STYLES = ("cyan", "", "green", "bold", "")


class Style(NamedTuple):
    """How frames are shown. `full`: long values are not shortened."""

    as_json: bool = False
    in_brief: bool = False
    full: bool = False


class Row(NamedTuple):
    """A part as it is shown; `wrong` if a mistake begins in it."""

    offset: str
    data: str
    path: str
    value: str
    meaning: str
    wrong: bool


def show(told: Told, style: Style, heard: Heard | None = None) -> None:
    """Print one frame; `heard` says when and in which connection."""
    if style.as_json:
        show_json(_document(told, heard))
    elif style.in_brief:
        _line(brief_line(told, heard))
    elif sys.stdout.isatty():
        _show_table(told, style, heard)
    else:
        for line in text_lines(told, style, heard):
            _line(line)


def brief_line(told: Told, heard: Heard | None = None) -> str:
    """Who said it and when, and what it is."""
    arrow = "->" if told.from_client else "<-"
    return f"{_when(heard)}{arrow} {brief(told.explained)}"


def _when(heard: Heard | None) -> str:
    if heard is None:
        return ""
    time = datetime.fromtimestamp(heard.time_ns / 1e9, UTC).strftime("%H:%M:%S.%f")[:-3]
    return f"{time} {heard.connection} {heard.client} "


def _title(told: Told, heard: Heard | None) -> str:
    where = f" at byte {told.position} of the stream" if told.position else ""
    return f"{_when(heard)}{told.explained.title}{where}"


def text_lines(told: Told, style: Style, heard: Heard | None = None) -> Iterator[str]:
    """A frame as lines: what it is, its fields with tabs between the columns, its mistakes."""
    found = told.explained
    yield f"# {_title(told, heard)}"
    if found.meaning:
        yield f"# {found.meaning}"
    for row in _rows(found, style):
        yield "\t".join(row[:5])
    for fault in found.faults:
        yield f"mistake at {fault}"
    yield ""


def _show_table(told: Told, style: Style, heard: Heard | None) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    found = told.explained
    caption = "\n".join(f"[red]mistake at {escape(str(fault))}[/red]" for fault in found.faults)
    table = Table(
        title=f"[bold]{escape(_title(told, heard))}[/bold]\n{escape(found.meaning)}",
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
    for row in _rows(found, style):
        table.add_row(*(escape(cell) for cell in row[:5]), style="red" if row.wrong else None)
    Console().print(table)


def _rows(found: Explained, style: Style) -> Iterator[Row]:
    yield from _part_rows(found.parts, found.data, found.faults, "", style)


def _part_rows(
    parts: tuple[Part, ...], data: bytes, faults: tuple[Fault, ...], base: str, style: Style
) -> Iterator[Row]:
    for part in parts:
        wrong = any(part.start <= fault.position < part.end for fault in faults)
        yield Row(
            f"{base}{part.start}",
            _hex(data[part.start : part.end], full=style.full),
            part.path,
            value_text(part, full=style.full),
            f"{part.kind}. {part.meaning}" if part.meaning else part.kind,
            wrong,
        )
        if part.inside is not None:
            inside = part.inside
            yield from _part_rows(inside.parts, inside.data, (), f"{base}{part.start}+", style)


def _hex(data: bytes, *, full: bool) -> str:
    if full or len(data) <= _MOST_BYTES:
        return data.hex(" ")
    return f"{data[:_MOST_BYTES].hex(' ')} ... {len(data) - _MOST_BYTES} more"


def value_text(part: Part, *, full: bool = False) -> str:
    """A value as people read it."""
    value = part.value
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return _bytes_text(part, value, full=full)
    return _quoted(value, full=full) if isinstance(value, str) else str(value)


def _bytes_text(part: Part, value: bytes, *, full: bool) -> str:
    if part.kind == "uuid":
        return uuid_text(value)
    text = value.decode("utf-8", "replace")
    if part.inside is not None or "\ufffd" in text or not text.isprintable():
        return f"{len(value)} bytes"
    return _quoted(text, full=full)


def _quoted(text: str, *, full: bool) -> str:
    return repr(text if full or len(text) <= _MOST_BYTES else f"{text[:_MOST_BYTES]}...")


def _document(told: Told, heard: Heard | None) -> dict[str, object]:
    found = told.explained
    seen = {} if heard is None else {
        "time_ns": heard.time_ns, "connection": heard.connection, "client": heard.client,
    }  # fmt: skip
    return {
        **seen,
        "kind": found.kind,
        "api": found.name,
        "version": found.version,
        "correlation_id": found.correlation_id,
        "client_id": found.client_id,
        "meaning": found.meaning,
        "position": told.position,
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
