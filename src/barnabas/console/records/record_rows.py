"""Records as rows of a page: keys, values and headers as text that is cut to a page's size."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from barnabas.console.decoding.safe_text import text_of, visible
from barnabas.console.decoding.value_view import ValueDecoder, ValueView
from barnabas.records.columns.record import Record

_MOST_KEY: Final = 100
_MOST_VALUE: Final = 500
_MOST_HEADERS: Final = 5
_MOST_HEADER: Final = 48


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record as a table shows it; `more_headers` counts those that are left out."""

    partition: int
    offset: int
    timestamp: int
    key: ValueView | None
    value: ValueView | None
    headers: tuple[tuple[str, str | None], ...]
    more_headers: int


async def rows_of(records: Sequence[Record], decoder: ValueDecoder) -> list[RecordRow]:
    """The rows; a thread waits for the schema registry, if there is one."""
    if decoder.schemas is None:
        return [row_of(record, decoder) for record in records]
    return await asyncio.to_thread(lambda: [row_of(record, decoder) for record in records])


def row_of(record: Record, decoder: ValueDecoder) -> RecordRow:
    """One row."""
    return RecordRow(
        record.partition,
        record.offset,
        record.timestamp,
        decoder.view(record.key, _MOST_KEY),
        decoder.view(record.value, _MOST_VALUE),
        headers_of(record, _MOST_HEADERS, _MOST_HEADER),
        max(0, len(record.headers) - _MOST_HEADERS),
    )


def headers_of(record: Record, count: int, most: int) -> tuple[tuple[str, str | None], ...]:
    """The first `count` headers, each with at most `most` characters of name and value."""
    return tuple(
        (visible(name)[:most], None if value is None else text_of(value, most))
        for name, value in record.headers[:count]
    )
