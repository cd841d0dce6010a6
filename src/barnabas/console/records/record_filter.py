"""Selects the records of a page: key, value and headers contain the typed text."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from barnabas.console.decoding.schemas import SchemaReader, SchemaUnusable, plain
from barnabas.console.records.value_condition import ValueCondition, condition_of
from barnabas.records.columns.record import Record

_LARGEST_DOCUMENT: Final = 4 << 20
"""Bytes of a value that is parsed for a JSON path."""


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Empty parts let everything pass.

    `key`, `value`: bytes that occur in them. `header`: bytes in the name or value of one.
    `condition`: what a part of a JSON value must be, or of a value that `schemas` can read.
    """

    key: bytes = b""
    value: bytes = b""
    header: bytes = b""
    condition: ValueCondition | None = None
    schemas: SchemaReader | None = None

    @property
    def passes_all(self) -> bool:
        """Whether it accepts every record."""
        return not (self.key or self.value or self.header or self.condition)

    async def chosen(self, records: Sequence[Record]) -> list[bool]:
        """Whether each record is shown. Values are parsed by a thread, which may wait for a registry."""
        if self.condition is None:
            return [self.keeps(record) for record in records]
        return await asyncio.to_thread(lambda: [self.keeps(record) for record in records])

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
        return self.condition is None or self._fits(self.condition, record.value)

    def _fits(self, condition: ValueCondition, value: bytes | None) -> bool:
        if value is None or len(value) > _LARGEST_DOCUMENT:
            return False
        try:
            return condition.fits(self._document(value))
        except (ValueError, RecursionError):
            return False

    def _document(self, value: bytes) -> Any:
        """The value as the page shows it.

        Raises:
            ValueError: it is no JSON, nor has it a schema that can be had.
        """
        if self.schemas is not None and SchemaReader.is_framed(value):
            try:
                return plain(self.schemas.decode(value)[0])
            except SchemaUnusable as error:
                raise ValueError(str(error)) from None
        return json.loads(value)


def filter_of(query: Mapping[str, str], schemas: SchemaReader | None = None) -> RecordFilter:
    """The filter that a query describes: `key`, `value`, `header`, `json`.

    Raises:
        HTTPException: `json` is no path, with or without a comparison.
    """
    key, value, header = (query.get(name, "").encode() for name in ("key", "value", "header"))
    text = query.get("json", "").strip()
    return RecordFilter(key, value, header, condition_of(text) if text else None, schemas)
