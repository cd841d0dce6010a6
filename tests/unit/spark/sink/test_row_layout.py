import pytest
from pyspark.sql.types import (
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from barnabas.spark.errors import SchemaError
from barnabas.spark.readers.schema import HEADERS_TYPE
from barnabas.spark.sink.row_layout import row_layout


def struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


def test_what_was_read_can_be_written_and_the_rest_is_left_out() -> None:
    read = struct(
        key=BinaryType(),
        value=StringType(),
        topic=StringType(),
        partition=IntegerType(),
        offset=LongType(),
        timestamp=TimestampType(),
        timestampType=IntegerType(),
        headers=HEADERS_TYPE,
    )
    layout = row_layout(read, None)
    assert layout.columns == ("key", "value", "topic", "partition", "timestamp", "headers")


@pytest.mark.parametrize(
    ("schema", "topic", "says"),
    [
        (struct(key=StringType()), "dogs", "column 'value'"),
        (struct(value=StringType()), None, "set option 'topic'"),
        (struct(value=LongType()), "dogs", "value is bigint.*string or binary"),
        (struct(value=StringType(), partition=LongType()), "dogs", "partition is bigint"),
        (struct(value=StringType(), topic=BinaryType()), None, "topic is binary"),
        (struct(value=StringType(), headers=StringType()), "dogs", "headers is string"),
    ],
)
def test_what_cannot_be_written_is_named(schema: StructType, topic: str | None, says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        row_layout(schema, topic)
