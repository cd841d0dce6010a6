"""A key or a value as readable text: JSON, text, hexadecimal, or by its schema."""

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from barnabas.console.decoding.safe_text import is_text, text_of, visible, within
from barnabas.console.decoding.schemas import SchemaReader, SchemaUnusable, otherwise

FORMATS: Final = ("auto", "json", "text", "hex", "schema")

_LARGEST_JSON: Final = 4 << 20
_ROW: Final = 16
_HEAD: Final = 1024


@dataclass(frozen=True, slots=True)
class ValueView:
    """Text of at most the requested number of characters.

    `shown_as`: the format that was found. `is_cut`: there is more. `problem`: why it is not in the
    requested format.
    """

    text: str
    shown_as: str
    size: int
    is_cut: bool = False
    problem: str = ""


def lightened(view: ValueView | None, most: int) -> ValueView | None:
    """The view with so much of its text as takes at most `most` bytes of a page."""
    if view is None:
        return None
    text = within(view.text, most)
    return view if len(text) == len(view.text) else replace(view, text=text, is_cut=True)


@dataclass(frozen=True, slots=True)
class ValueDecoder:
    """How values are shown: in `form`, one of FORMATS; by `schemas`, if there is a registry."""

    form: str = "auto"
    schemas: SchemaReader | None = None

    def view(self, data: bytes | None, most: int, *, pretty: bool = False) -> ValueView | None:
        """At most `most` characters of a value; None for null.

        `pretty`: JSON has a line for each part.
        """
        if data is None:
            return None
        form = self._form(data) if self.form == "auto" else self.form
        match form:
            case "hex":
                return hex_view(data, most)
            case "schema":
                return self._by_schema(data, most, pretty=pretty)
            case "json":
                return _json(data, most, pretty=pretty, wanted=self.form == "json")
            case _:
                return _text(data, most)

    def _form(self, data: bytes) -> str:
        """The format that a value seems to have, by its first bytes."""
        if data[:1] in (b"{", b"["):
            return "json"
        head = data[:_HEAD]
        # The cut may have gone through a character.
        if is_text(head) or (len(data) > _HEAD and any(is_text(head[:-one]) for one in (1, 2, 3))):
            return "text"
        if self.schemas is not None and SchemaReader.is_framed(data):
            return "schema"
        return "hex" if _is_binary(head) else "text"

    def _by_schema(self, data: bytes, most: int, *, pretty: bool) -> ValueView:
        if self.schemas is None:
            why = "without a schema registry no schema is known: start with --schema-registry"
            return hex_view(data, most, why)
        try:
            document, name = self.schemas.decode(data)
        except SchemaUnusable as error:
            return hex_view(data, most, str(error))
        return _document(document, data, most, name, pretty=pretty)


def hex_view(data: bytes, most: int, problem: str = "") -> ValueView:
    """The first bytes in rows of sixteen, with their offsets and their letters."""
    rows = max(1, most // 76)
    lines = []
    for at in range(0, min(len(data), rows * _ROW), _ROW):
        part = data[at : at + _ROW]
        letters = "".join(chr(one) if 32 <= one < 127 else "." for one in part)
        lines.append(f"{at:08x}  {part.hex(' '):<47}  {letters}")
    return ValueView("\n".join(lines), "hex", len(data), len(data) > rows * _ROW, problem)


def _text(data: bytes, most: int, problem: str = "") -> ValueView:
    text = text_of(data, most + 1)
    return ValueView(text[:most], "text", len(data), len(text) > most, problem)


def _json(data: bytes, most: int, *, pretty: bool, wanted: bool) -> ValueView:
    """A JSON value; text where it is none, or too large to be laid out."""
    if len(data) > _LARGEST_JSON:
        return _text(data, most, "too large to be laid out as JSON" if pretty or wanted else "")
    try:
        document = json.loads(data)
    except RecursionError:
        return _text(data, most, "nested too deeply to be laid out as JSON")
    except ValueError as error:
        return _text(data, most, f"not JSON: {error}" if wanted else "")
    return _document(document, data, most, "JSON", pretty=pretty)


def _document(document: Any, data: bytes, most: int, name: str, *, pretty: bool) -> ValueView:
    """A document as JSON. It is written no further than is shown: indents could make it huge."""
    encoder = json.JSONEncoder(
        ensure_ascii=False, indent=2 if pretty else None, default=otherwise, check_circular=False
    )
    pieces: list[str] = []
    length = 0
    try:
        for piece in encoder.iterencode(document):
            pieces.append(piece)
            length += len(piece)
            if length > most:
                break
    except RecursionError:
        return _text(data, most, "nested too deeply to be laid out as JSON")
    text = visible("".join(pieces)[: most + 1])
    return ValueView(text[:most], name, len(data), length > most or len(text) > most)


def _is_binary(head: bytes) -> bool:
    """Whether so many bytes are not text that escapes would hide the rest."""
    odd = sum(one < 32 and one not in b"\t\n\r" for one in head)
    odd += head.decode("utf-8", "replace").count("\ufffd")
    return odd * 4 > len(head)
