"""Which records a page shows: those whose key, value and headers contain what was typed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from barnabas.console.forms import wrong
from barnabas.records.columns.record import Record

_LARGEST_DOCUMENT: Final = 4 << 20
"""Bytes of a value that is parsed for a JSON path."""

_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Empty parts let everything pass.

    `key`, `value`: bytes that occur in them. `header`: bytes in the name or value of one. `path`:
    the way to a part of a JSON value, `order.items.0.name`, which must have the value `expected`;
    with `any_value` it must only exist.
    """

    key: bytes = b""
    value: bytes = b""
    header: bytes = b""
    path: tuple[str, ...] = ()
    expected: Any = None
    any_value: bool = False

    @property
    def passes_all(self) -> bool:
        """Whether it lets everything pass."""
        return not (self.key or self.value or self.header or self.path)

    def keeps(self, record: Record) -> bool:
        """Whether a record is shown."""
        if self.key and self.key not in (record.key or b""):
            return False
        if self.value and self.value not in (record.value or b""):
            return False
        if self.header and not any(
            self.header in name.encode() or self.header in (value or b"")
            for name, value in record.headers
        ):
            return False
        return not self.path or self._finds(record.value)

    def _finds(self, value: bytes | None) -> bool:
        if value is None or len(value) > _LARGEST_DOCUMENT:
            return False
        try:
            found = at_path(json.loads(value), self.path)
        except (ValueError, RecursionError):
            return False
        if found is _MISSING:
            return False
        return self.any_value or (
            found == self.expected and isinstance(found, bool) == isinstance(self.expected, bool)
        )


def at_path(document: Any, path: tuple[str, ...]) -> Any:
    """The part of a JSON document at a path; a value that equals nothing where there is none."""
    for step in path:
        if isinstance(document, dict) and step in document:
            document = document[step]
        elif isinstance(document, list) and step.isdecimal() and int(step) < len(document):
            document = document[int(step)]
        else:
            return _MISSING
    return document


def filter_of(query: Mapping[str, str]) -> RecordFilter:
    """The filter that a query describes: `key`, `value`, `header`, `json`.

    `json` is PATH=VALUE or PATH; a VALUE that is no JSON is text.

    Raises:
        HTTPException: `json` has no path.
    """
    key, value, header = (query.get(name, "").encode() for name in ("key", "value", "header"))
    text = query.get("json", "").strip()
    if not text:
        return RecordFilter(key, value, header)
    path, equals, wanted = text.partition("=")
    steps = tuple(path.strip().removeprefix("$.").split("."))
    if not all(steps):
        raise wrong(f"json must be a path such as order.items.0.name=screw, not {text[:80]!r}")
    return RecordFilter(key, value, header, steps, _literal(wanted.strip()), not equals)


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
