"""Records as files that are read by people."""

import base64
import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from barnabas.console.decoding.schemas import SchemaReader
from barnabas.console.records import record_files, value_pieces
from barnabas.console.records.parquet_table import ParquetTable
from barnabas.console.records.record_files import CommaSeparated, JsonLines
from barnabas.records.columns.record import Record
from barnabas.records.record_json import to_json
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.registries.schema_registry import SchemaRegistryClient
from tests.registered_values import avro_by
from tests.registry_double import registry_double

DOG = {"type": "record", "name": "Dog", "fields": [{"name": "tag", "type": "bytes"}]}


SOME = st.one_of(st.none(), st.binary(max_size=40), st.text(max_size=30).map(str.encode))
RECORDS = st.lists(
    st.builds(
        Record,
        st.just("dogs"), st.integers(0, 3), st.integers(0, 99), st.integers(0, 99), st.just(0),
        SOME, SOME, st.lists(st.tuples(st.text(max_size=9), SOME), max_size=2).map(tuple),
    ),
    max_size=4,
)  # fmt: skip


@contextmanager
def small_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_pieces, "PIECE", 6)
        patch.setattr(record_files, "PIECE", 6)
        yield


@given(RECORDS)
def test_lines_are_the_same_in_pieces(records: list[Record]) -> None:
    whole = "".join(to_json(record) + "\n" for record in records)
    with small_pieces():
        assert b"".join(JsonLines().add(records)).decode() == whole


@given(RECORDS)
def test_a_table_is_the_same_in_pieces(records: list[Record]) -> None:
    def texts(data: bytes | None) -> str:
        try:
            return (data or b"").decode()
        except UnicodeDecodeError:
            return "base64:" + base64.b64encode(data or b"").decode()

    file = CommaSeparated()
    with small_pieces():
        text = b"".join([*file.add(records), file.end()]).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [(row["offset"], row["key"], row["value"]) for row in rows] == [
        (str(record.offset), texts(record.key), texts(record.value)) for record in records
    ]
    assert [json.loads(row["headers"] or "[]") for row in rows] == [
        [[name, None if value is None else texts(value)] for name, value in record.headers]
        for record in records
    ]


def test_small_records_leave_together_and_large_ones_in_pieces() -> None:
    small = [Record("dogs", 0, at, 0, 0, None, b"woof") for at in range(100)]
    large = Record("dogs", 0, 100, 0, 0, None, b"w" * 1_000_000)
    for file in (JsonLines(), CommaSeparated()):
        pieces = [*map(len, file.add([*small, large]))]
        assert len(pieces) == 7
        assert max(pieces) < 450_000


def test_a_parquet_file_leaves_row_group_by_row_group() -> None:
    file, record = ParquetTable(), Record("filed", 0, 7, 1, 0, None, b"v" * 1000)
    pieces = [b"".join(file.add([record] * 100)) for _ in range(3)]
    assert all(pieces), "nothing is kept until the end"
    table = parquet.read_table(io.BytesIO(b"".join([*pieces, file.end()])))
    assert table.num_rows == 300
    assert table["value"][299].as_py() == b"v" * 1000


def test_values_with_a_schema_are_json_in_a_table() -> None:
    with registry_double() as double:
        avro = avro_by(double.url, DOG, {"tag": b"\xff"})
        schemas = SchemaReader(SchemaRegistryClient.at(double.url, None), SystemClock())
        values = [avro, b"\0\0\0\0\x63\xff", b"woof", None]
        records = [Record("dogs", 0, at, 0, 0, None, one) for at, one in enumerate(values)]
        text = b"".join(CommaSeparated(schemas).add(records)).decode()
    framed, unknown, plain, null = csv.DictReader(io.StringIO(text))
    assert json.loads(framed["value"]) == {"tag": "ff"}
    assert unknown["value"] == "base64:AAAAAGP/"
    assert plain["value"] == "woof"
    assert null["value"] == ""
