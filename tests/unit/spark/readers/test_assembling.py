from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructField, StructType

from barnabas.spark.errors import SchemaError
from barnabas.spark.readers.assembling import Assembler
from barnabas.spark.readers.schema import HEADERS_TYPE, project, source_schema


def decoded(count: int) -> dict[str, Any]:
    """Columns as `records.columns.arrow` gives them."""
    return {
        "key": pa.array([None] * count, pa.binary()),
        "value": pa.array([b"%d" % index for index in range(count)], pa.binary()),
        "offset": pa.array(range(count), pa.int64()),
        "timestamp": pa.array(range(count), pa.timestamp("us", tz="UTC")),
        "timestampType": pa.array([0] * count, pa.int32()),
        "headers": pa.array(
            [[{"key": "h", "value": None}]] * count,
            pa.list_(pa.struct([("key", pa.utf8()), ("value", pa.binary())])),
        ),
    }


def assembled(schema: StructType, count: int, rows: int = 3) -> list[Any]:
    assembler = Assembler(project(schema), "dogs", 7, batch_rows=rows)
    return list(assembler.batches(decoded(count), count))


def test_all_columns_in_sparks_order_cut_to_size() -> None:
    schema = source_schema(include_headers=True, columns=None)
    batches = assembled(schema, 7)
    assert [batch.num_rows for batch in batches] == [3, 3, 1]
    assert batches[0].schema.equals(project(schema).arrow_schema())
    table = pa.Table.from_batches(batches)
    assert table.column("offset").to_pylist() == list(range(7))
    assert set(table.column("topic").to_pylist()) == {"dogs"}
    assert set(table.column("partition").to_pylist()) == {7}
    assert table.column("headers").to_pylist()[6] == [{"key": "h", "value": None}]


def test_a_value_as_string_keeps_its_bytes_even_when_they_are_no_utf8() -> None:
    schema = StructType([StructField("value", StringType())])
    assembler = Assembler(project(schema), "dogs", 0, batch_rows=9)
    (batch,) = assembler.batches({"value": pa.array([b"\xff\x00", b"", None])}, 3)
    column = batch.column("value")
    assert column.type == pa.utf8()
    assert column.view(pa.binary()).to_pylist() == [b"\xff\x00", b"", None]


def test_rows_are_counted_where_nothing_was_decoded() -> None:
    schema = StructType([StructField("partition", IntegerType())])
    assembler = Assembler(project(schema), "dogs", 7, batch_rows=4)
    assert [batch.num_rows for batch in assembler.batches({}, 10)] == [4, 4, 2]
    assert [batch.num_rows for batch in assembler.batches({}, 3)] == [3]
    assert list(assembler.batches({}, 0)) == []


def test_a_null_is_refused_where_the_schema_has_none() -> None:
    schema = StructType([StructField("key", BinaryType(), nullable=False)])
    with pytest.raises(SchemaError, match="key has a null"):
        assembled(schema, 1)


def test_a_record_without_headers_has_null_as_with_spark() -> None:
    kind = pa.list_(pa.struct([("key", pa.utf8()), ("value", pa.binary())]))
    headers = pa.array([[], [{"key": "h", "value": b"1"}], []], kind)
    schema = StructType([StructField("headers", HEADERS_TYPE)])
    assembler = Assembler(project(schema), "dogs", 0, batch_rows=2)
    batches = list(assembler.batches({"headers": headers}, 3))
    found = pa.Table.from_batches(batches).column("headers").to_pylist()
    assert found == [None, [{"key": "h", "value": b"1"}], None]
