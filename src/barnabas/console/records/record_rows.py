"""Records as rows of a page: keys, values and headers as shortened text."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
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

    `transaction`: "open", if one is open there, so that readers with read_committed do not have the
    record yet; "aborted", if they never will; else empty.
    """

    partition: int
    offset: int
    timestamp: int
    key: ValueView | None
    value: ValueView | None
    headers: tuple[tuple[str, str | None], ...]
    more_headers: int
    transaction: str


async def rows_of(
    records: Sequence[Record],
    decoder: ValueDecoder,
    ends: Mapping[int, int] | None = None,
    aborted: Collection[tuple[int, int]] = (),
) -> list[RecordRow]:
    """The rows; a thread waits for the schema registry, if there is one.

    `ends`: where the first open transaction of each partition begins, or its end. `aborted`: partition and
    offset of records of aborted transactions.
    """

    def made() -> list[RecordRow]:
        return [
            row_of(record, decoder, transaction_of(record, ends or {}, aborted))
            for record in records
        ]

    return made() if decoder.schemas is None else await asyncio.to_thread(made)


def transaction_of(
    record: Record, ends: Mapping[int, int], aborted: Collection[tuple[int, int]]
) -> str:
    """The text about a record's transaction in its row."""
    if (record.partition, record.offset) in aborted:
        return "aborted"
    return "open" if record.offset >= ends.get(record.partition, record.offset + 1) else ""


def row_of(record: Record, decoder: ValueDecoder, transaction: str) -> RecordRow:
    """One row."""
    return RecordRow(
        record.partition,
        record.offset,
        record.timestamp,
        lightened(decoder.view(record.key, _MOST_KEY), _KEY_BYTES),
        lightened(decoder.view(record.value, _MOST_VALUE), _VALUE_BYTES),
        headers_of(record, _MOST_HEADERS, _MOST_HEADER, _HEADER_BYTES),
        max(0, len(record.headers) - _MOST_HEADERS),
        transaction,
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
