"""A record that somebody typed: text, JSON, hex or base64, turned into bytes."""

import base64
import binascii
import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from barnabas.console.forms import INT32, one_of, whole_number, wrong
from barnabas.errors import ConfigError
from barnabas.lens.hex_text import hex_bytes
from barnabas.records.columns.record import Record

SPELLINGS: Final = ("text", "JSON", "hex", "base64", "null")
_MOST_COPIED: Final = 1_000_000
"""Bytes of a record that a form carries: percent encoding makes up to three of each."""

_UNTYPED: Final = re.compile(r"[^\t\n\x20-\x7e\xa0-\U0010ffff]")
"""Characters that a browser does not send back as they are."""


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to send; None: the producer decides."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    partition: int | None


def record_of(form: Mapping[str, str]) -> NewRecord:
    """The record of a form: `key`, `value` with their spellings, `headers`, `partition`.

    An empty key is none. Each line of `headers` is NAME: VALUE.

    Raises:
        HTTPException: a part does not match its spelling.
    """
    headers = []
    for number, line in enumerate(form.get("headers", "").splitlines(), 1):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise wrong(f"headers, line {number} must be NAME: VALUE, not {line[:60]!r}")
        headers.append((name.strip(), value.strip().encode()))
    partition = whole_number(form, "partition", -1, low=-1, high=INT32)
    return NewRecord(
        _part(form, "key") or None,
        _part(form, "value"),
        tuple(headers),
        None if partition < 0 else partition,
    )


def form_of_record(record: Record) -> dict[str, str]:
    """The fields that `record_of` reads as this record's key, value and headers.

    Raises:
        HTTPException: a form cannot hold it; the message names the part.
    """
    if len(record.key or b"") + len(record.value or b"") > _MOST_COPIED:
        raise wrong(f"a form holds a record of up to {_MOST_COPIED:,} bytes, and this one has more")
    if record.key == b"":
        raise wrong("this record has an empty key, which a form cannot tell from none")
    key_is, key = _spelled(record.key)
    value_is, value = _spelled(record.value)
    fields = {"key_is": key_is, "key": key, "value_is": value_is, "value": value}
    lines = [_header_line(name, one) for name, one in record.headers]
    return {"partition": str(record.partition), "headers": "\n".join(lines), **fields}


def _spelled(data: bytes | None) -> tuple[str, str]:
    """The spelling of bytes and their text in it."""
    if data is None:
        return "null", ""
    with contextlib.suppress(UnicodeDecodeError):
        text = data.decode()
        if not _UNTYPED.search(text):
            return "text", text
    return "base64", base64.b64encode(data).decode()


def _header_line(name: str, value: bytes | None) -> str:
    """A header as a line of a form.

    Raises:
        HTTPException: it would be read as another one.
    """
    spelling, text = _spelled(value)
    odd = any(
        one != one.strip() or len(one.splitlines()) > 1 or _UNTYPED.search(one)
        for one in (name, text)
    )
    if spelling != "text" or odd or not name or ":" in name:
        raise wrong(f"the header {name[:60]!r} is no line of text, which a form needs")
    return f"{name}: {text}"


def _part(form: Mapping[str, str], name: str) -> bytes | None:
    spelling = one_of(form, f"{name}_is", SPELLINGS)
    # Browsers send lines with both ends.
    text = form.get(name, "").replace("\r\n", "\n")
    try:
        match spelling:
            case "null":
                return None
            case "JSON":
                json.loads(text)
            case "hex":
                return hex_bytes(text)
            case "base64":
                return base64.b64decode("".join(text.split()), validate=True)
            case _:
                pass
    except (ValueError, ConfigError, RecursionError, binascii.Error) as error:
        raise wrong(f"the {name} is no {spelling}: {error}") from None
    return text.encode()
