"""Records as rows of a page: keys, values and headers as shortened text."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from barnabas.console.decoding.safe_text import text_of, visible, within
from barnabas.console.decoding.value_view import ValueDecoder, ValueView, lightened
from barnabas.records.columns.record import Record

_MOST_KEY: Final = 100
_MOST_VALUE: Final = 500
_MOST_HEADERS: Final = 5
_MOST_HEADER: Final = 48
_KEY_BYTES: Final = 300
_VALUE_BYTES: Final = 1500
_HEADER_BYTES: Final = 1000
"""Of a page: fifty rows take less than 200 KB, whatever is in them."""


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record as a table shows it; `more_headers` counts those that are left out.

    `is_open`: a transaction is open there, so that readers with read_committed do not have it yet.
    """

    partition: int
    offset: int
    timestamp: int
    key: ValueView | None
    value: ValueView | None
    headers: tuple[tuple[str, str | None], ...]
    more_headers: int
    is_open: bool


async def rows_of(
    records: Sequence[Record], decoder: ValueDecoder, ends: Mapping[int, int] | None = None
) -> list[RecordRow]:
    """The rows; a thread waits for the schema registry, if there is one.

    `ends`: where the first open transaction of each partition begins, or its end.
    """
    known = ends or {}
    if decoder.schemas is None:
        return [row_of(record, decoder, known) for record in records]
    return await asyncio.to_thread(lambda: [row_of(record, decoder, known) for record in records])


def row_of(record: Record, decoder: ValueDecoder, ends: Mapping[int, int]) -> RecordRow:
    """One row."""
    end = ends.get(record.partition)
    return RecordRow(
        record.partition,
        record.offset,
        record.timestamp,
        lightened(decoder.view(record.key, _MOST_KEY), _KEY_BYTES),
        lightened(decoder.view(record.value, _MOST_VALUE), _VALUE_BYTES),
        headers_of(record, _MOST_HEADERS, _MOST_HEADER, _HEADER_BYTES),
        max(0, len(record.headers) - _MOST_HEADERS),
        end is not None and record.offset >= end,
    )


def headers_of(
    record: Record, count: int, most: int, size: int
) -> tuple[tuple[str, str | None], ...]:
    """The first `count` headers, each with at most `most` characters of name and value.

    They share `size` bytes of the page.
    """
    shown = record.headers[:count]
    part = size // (2 * len(shown)) if shown else 0
    return tuple(
        (
            within(visible(name)[:most], part),
            None if value is None else within(text_of(value, most), part),
        )
        for name, value in shown
    )
