"""Records as files: lines of JSON, CSV, Parquet. Pieces of bytes, written as records arrive."""

import base64
import csv
import io
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

from barnabas.console.decoding.schemas import SchemaReader, SchemaUnusable, otherwise
from barnabas.records.columns.record import Record
from barnabas.records.record_json import to_json

_COLUMNS: Final = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")


class RecordFile(Protocol):
    """Takes records, and gives the bytes that they add to the file."""

    def add(self, records: Sequence[Record]) -> bytes:
        """The next bytes."""
        ...

    def end(self) -> bytes:
        """The last ones."""
        ...


class JsonLines:
    """As `barnabas consume --json` writes them: `barnabas produce --json` reads the file."""

    def add(self, records: Sequence[Record]) -> bytes:
        """A line for each record."""
        return "".join(to_json(record) + "\n" for record in records).encode("utf-8", "replace")

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

    def add(self, records: Sequence[Record]) -> bytes:
        """A row for each record."""
        text = io.StringIO()
        writer = csv.writer(text)
        if not self._begun:
            self._begun = True
            writer.writerow(_COLUMNS)
        for record in records:
            headers = [[name, _text(value)] for name, value in record.headers]
            writer.writerow(
                (
                    record.topic, record.partition, record.offset, record.timestamp,
                    self._read(record.key), self._read(record.value),
                    json.dumps(headers, ensure_ascii=False) if headers else "",
                )
            )  # fmt: skip
        return text.getvalue().encode("utf-8", "replace")

    def _read(self, data: bytes | None) -> str | None:
        if data is not None and self._schemas is not None and SchemaReader.is_framed(data):
            with suppress(SchemaUnusable):
                document, _ = self._schemas.decode(data)
                return json.dumps(document, ensure_ascii=False, default=otherwise)
        return _text(data)

    def end(self) -> bytes:
        """The head, of a table without rows."""
        return b"" if self._begun else self.add([])


class _Pieces:
    """What a Parquet writer needs of a file: it is written from start to end, and taken away in pieces."""

    closed = False

    def __init__(self) -> None:
        self._piece = bytearray()
        self._taken = 0

    def tell(self) -> int:
        """The bytes written so far."""
        return self._taken + len(self._piece)

    def write(self, data: bytes) -> int:
        """Keep them until they are taken."""
        self._piece += data
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """What was not taken stays."""

    def take(self) -> bytes:
        """What was written since the last call."""
        piece = bytes(self._piece)
        self._taken += len(piece)
        self._piece.clear()
        return piece


class ParquetTable:
    """Columns as `fetch_arrow` has them: keys, values and values of headers are bytes."""

    def __init__(self) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        header = pa.struct([("key", pa.string()), ("value", pa.binary())])
        self._schema = pa.schema(
            [
                ("topic", pa.string()),
                ("partition", pa.int32()),
                ("offset", pa.int64()),
                ("timestamp", pa.timestamp("ms", "UTC")),
                ("key", pa.binary()),
                ("value", pa.binary()),
                ("headers", pa.list_(header)),
            ]
        )
        self._sink = _Pieces()
        self._writer = parquet.ParquetWriter(self._sink, self._schema)

    def add(self, records: Sequence[Record]) -> bytes:
        """A row group for the records."""
        import pyarrow as pa

        columns: dict[str, Any] = {
            name: [getattr(record, name) for record in records] for name in _COLUMNS[:-1]
        }
        columns["headers"] = [
            [{"key": name, "value": value} for name, value in record.headers] for record in records
        ]
        if records:
            self._writer.write_table(pa.table(columns, self._schema))
        return self._sink.take()

    def end(self) -> bytes:
        """What says where the row groups are."""
        self._writer.close()
        return self._sink.take()


KINDS: Final[dict[str, tuple[Callable[[], RecordFile], str]]] = {
    "jsonl": (JsonLines, "application/x-ndjson"),
    "csv": (CommaSeparated, "text/csv; charset=utf-8"),
    "parquet": (ParquetTable, "application/vnd.apache.parquet"),
}
"""By the name of a kind: what writes it, and its media type."""


def _text(data: bytes | None) -> str | None:
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(data).decode()
