"""Records as files: lines of JSON, CSV, Parquet. Pieces of bytes, written as records arrive.

A piece is made on request, of about `PIECE` bytes of records, or of a part of a large one.
"""

import base64
import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final, Protocol

from barnabas.console.decoding.schemas import SchemaReader, SchemaUnusable, otherwise
from barnabas.console.records.parquet_table import ParquetTable
from barnabas.console.records.value_pieces import PIECE, csv_field, encoded, json_line, size_of
from barnabas.records.columns.record import Record
from barnabas.records.record_json import to_json

_COLUMNS: Final = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")


class RecordFile(Protocol):
    """Takes records, and gives the bytes that they add to the file."""

    def add(self, records: Sequence[Record]) -> Iterator[bytes]:
        """The next bytes, in pieces: take all of them before you add more records."""
        ...

    def end(self) -> bytes:
        """The last ones."""
        ...


class JsonLines:
    """As `barnabas consume --json` writes them: `barnabas produce --json` reads the file."""

    def add(self, records: Sequence[Record]) -> Iterator[bytes]:
        """A line for each record."""
        for some in _groups(records):
            if size_of(some[0]) > PIECE:
                yield from encoded(json_line(some[0]))
            else:
                yield from encoded(to_json(record) + "\n" for record in some)

    def end(self) -> bytes:
        """Nothing."""
        return b""


class CommaSeparated:
    """A table with a head. Null is empty, bytes that are no UTF-8 are base64: and the bytes.

    Keys and values that `schemas` can read are JSON.
    """

    def __init__(self, schemas: SchemaReader | None = None) -> None:
        self._begun = False
        self._schemas = schemas

    def add(self, records: Sequence[Record]) -> Iterator[bytes]:
        """A row for each record."""
        for some in _groups(records):
            if size_of(some[0]) > PIECE:
                yield from encoded(self._large_row(some[0]))
            else:
                yield from encoded([self._head(), _table(self._row(record) for record in some)])

    def end(self) -> bytes:
        """The head, of a table without rows."""
        return self._head().encode()

    def _head(self) -> str:
        begun, self._begun = self._begun, True
        return "" if begun else _table([_COLUMNS])

    def _row(self, record: Record) -> Sequence[object]:
        return (
            record.topic, record.partition, record.offset, record.timestamp,
            self._read(record.key), self._read(record.value), _headers(record),
        )  # fmt: skip

    def _large_row(self, record: Record) -> Iterator[str]:
        yield self._head()
        place = (record.topic, record.partition, record.offset, record.timestamp)
        yield _table([place]).rstrip() + ","
        for data in (record.key, record.value):
            document = self._document(data)
            yield from csv_field(data if document is None else document.encode())
            yield ","
        yield from csv_field(_headers(record).encode() or None)
        yield "\r\n"

    def _read(self, data: bytes | None) -> str | None:
        document = self._document(data)
        return _text(data) if document is None else document

    def _document(self, data: bytes | None) -> str | None:
        """The JSON of a key or value that has a schema."""
        if data is not None and self._schemas is not None and SchemaReader.is_framed(data):
            with suppress(SchemaUnusable):
                document, _ = self._schemas.decode(data)
                return json.dumps(document, ensure_ascii=False, default=otherwise)
        return None


KINDS: Final[dict[str, tuple[Callable[[], RecordFile], str]]] = {
    "jsonl": (JsonLines, "application/x-ndjson"),
    "csv": (CommaSeparated, "text/csv; charset=utf-8"),
    "parquet": (ParquetTable, "application/vnd.apache.parquet"),
}
"""By the name of a kind: what writes it, and its media type."""


def _groups(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Records for one piece each; a large one is alone."""
    some: list[Record] = []
    size = 0
    for record in records:
        more = size_of(record)
        if some and size + more > PIECE:
            yield some
            some, size = [], 0
        some.append(record)
        size += more
    if some:
        yield some


def _table(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _headers(record: Record) -> str:
    headers = [[name, _text(value)] for name, value in record.headers]
    return json.dumps(headers, ensure_ascii=False) if headers else ""


def _text(data: bytes | None) -> str | None:
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(data).decode()
