"""An explanation as the rows of a table: offset, bytes, field, value, meaning."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from barnabas.lens.walks.part import Explained, Fault, Part
from barnabas.lens.walks.words import uuid_text

_MOST_BYTES: Final = 64


class PartRow(NamedTuple):
    """A field as shown; `wrong` if a mistake starts in it."""

    offset: str
    data: str
    path: str
    value: str
    meaning: str
    wrong: bool


def part_rows(found: Explained, *, full: bool = False) -> Iterator[PartRow]:
    """The fields of a frame in their order, decompressed ones behind their batch.

    Long values are cut, unless `full`.
    """
    yield from _rows(found.parts, found.data, found.faults, "", full=full)


def _rows(
    parts: tuple[Part, ...], data: bytes, faults: tuple[Fault, ...], base: str, *, full: bool
) -> Iterator[PartRow]:
    for part in parts:
        wrong = any(part.start <= fault.position < part.end for fault in faults)
        yield PartRow(
            f"{base}{part.start}",
            _hex(data[part.start : part.end], full=full),
            part.path,
            value_text(part, full=full),
            f"{part.kind}. {part.meaning}" if part.meaning else part.kind,
            wrong,
        )
        if part.inside is not None:
            inside = part.inside
            yield from _rows(inside.parts, inside.data, (), f"{base}{part.start}+", full=full)


def _hex(data: bytes, *, full: bool) -> str:
    if full or len(data) <= _MOST_BYTES:
        return data.hex(" ")
    return f"{data[:_MOST_BYTES].hex(' ')} ... {len(data) - _MOST_BYTES} more"


def value_text(part: Part, *, full: bool = False) -> str:
    """A value as readable text."""
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
