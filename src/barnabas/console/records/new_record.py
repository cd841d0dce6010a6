"""A record that somebody typed: text, JSON, hex or base64, turned into bytes."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from barnabas.console.forms import one_of, whole_number, wrong
from barnabas.errors import ConfigError
from barnabas.lens.hex_text import hex_bytes

SPELLINGS: Final = ("text", "JSON", "hex", "base64", "null")
_INT32: Final = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to send; None where the producer decides."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    partition: int | None


def record_of(form: Mapping[str, str]) -> NewRecord:
    """The record of a form: `key`, `value` with their spellings, `headers`, `partition`.

    An empty key is none. Each line of `headers` is NAME: VALUE.

    Raises:
        HTTPException: a part is not what its spelling says.
    """
    headers = []
    for number, line in enumerate(form.get("headers", "").splitlines(), 1):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise wrong(f"headers, line {number} must be NAME: VALUE, not {line[:60]!r}")
        headers.append((name.strip(), value.strip().encode()))
    partition = whole_number(form, "partition", -1, low=-1, high=_INT32)
    return NewRecord(
        _part(form, "key") or None,
        _part(form, "value"),
        tuple(headers),
        None if partition < 0 else partition,
    )


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
