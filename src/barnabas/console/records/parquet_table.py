"""Records as a Parquet file, of which each row group leaves as soon as it is made."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from barnabas.records.columns.record import Record

_PLAIN: Final = ("topic", "partition", "offset", "timestamp", "key", "value")
"""Columns that are attributes of a record."""


class _Pieces:
    """A file for a Parquet writer: written from start to end, and removed in pieces."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._written = 0

    def tell(self) -> int:
        """The bytes written so far."""
        return self._written

    def write(self, data: bytes) -> int:
        """Keep them until they are taken."""
        self._pieces.append(bytes(data))
        self._written += len(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: no bytes are buffered."""

    def close(self) -> None:
        """Do nothing: bytes that were not removed stay."""

    def take(self) -> list[bytes]:
        """The bytes written since the last call."""
        pieces, self._pieces = self._pieces, []
        return pieces


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
        # A dictionary and statistics of values would be three more copies of a large one.
        self._writer = parquet.ParquetWriter(
            self._sink,
            self._schema,
            use_dictionary=["topic", "key"],
            write_statistics=["partition", "offset", "timestamp"],
        )

    def add(self, records: Sequence[Record]) -> Iterator[bytes]:
        """A row group for the records."""
        import pyarrow as pa

        columns: dict[str, Any] = {
            name: [getattr(record, name) for record in records] for name in _PLAIN
        }
        columns["headers"] = [
            [{"key": name, "value": value} for name, value in record.headers] for record in records
        ]
        if records:
            self._writer.write_table(pa.table(columns, self._schema))
            del columns
            pa.default_memory_pool().release_unused()
        yield from self._sink.take()

    def end(self) -> bytes:
        """The footer, with the places of the row groups."""
        self._writer.close()
        return b"".join(self._sink.take())
