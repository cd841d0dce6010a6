import pytest
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from barnabas.spark.errors import SchemaError
from barnabas.spark.options.formats import BadRecords, Formats
from barnabas.spark.readers.schema import FROM_BATCHES, HEADERS_TYPE, project, source_schema
from barnabas.spark.values.avro_format import AvroFormat
from barnabas.spark.values.avro_schema import avro_schema


def test_columns_are_sparks_own() -> None:
    schema = source_schema(include_headers=True, columns=None)
    assert schema.simpleString() == (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,"
        "timestamp:timestamp,timestampType:int,headers:array<struct<key:string,value:binary>>>"
    )
    assert "headers" not in source_schema(include_headers=False, columns=None).fieldNames()
    assert source_schema(include_headers=False, columns=("offset", "key")).fieldNames() == [
        "offset",
        "key",
    ]


def struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


@pytest.mark.parametrize(
    "schema",
    [
        struct(value=StringType()),
        StructType([StructField("key", BinaryType(), nullable=False)]),
        struct(offset=LongType(), timestamp=TimestampType(), timestampType=IntegerType()),
        struct(headers=HEADERS_TYPE, topic=StringType(), partition=IntegerType()),
    ],
    ids=lambda schema: "-".join(schema.fieldNames()),
)
def test_the_arrow_schema_is_the_one_spark_compares_with(schema: StructType) -> None:
    assert project(schema).arrow_schema().equals(to_arrow_schema(schema, timezone="UTC"))


def test_only_what_is_asked_for_is_decoded() -> None:
    assert project(struct(value=StringType(), topic=StringType())).decoded == {"value"}
    assert project(struct(partition=IntegerType())).decoded == frozenset()


def test_values_decide_which_rows_are_left_where_bad_ones_go_to_a_topic() -> None:
    """So they are decoded with each selection of columns: all have the same rows."""
    values = AvroFormat(avro_schema('"int"'))
    ways: list[BadRecords] = ["fail", "null", "topic"]
    for columns in (struct(offset=LongType()), struct(partition=IntegerType())):
        asked = {bad: project(columns, Formats(values=values, bad=bad)) for bad in ways}
        assert {bad: each.decodes for bad, each in asked.items()} == {
            "fail": False, "null": False, "topic": True,
        }  # fmt: skip
        assert asked["topic"].decoded == FROM_BATCHES


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (struct(payload=BinaryType()), "no column payload"),
        (struct(value=IntegerType()), "value is binary or string, not int"),
        (struct(offset=IntegerType()), "offset is bigint, not int"),
        (struct(timestamp=TimestampNTZType()), "timestamp is timestamp"),
        (StructType([StructField("key", BinaryType())] * 2), "twice"),
    ],
)
def test_a_schema_that_cannot_be_is_refused(schema: StructType, says: str) -> None:
    with pytest.raises(SchemaError, match=rf"BARNABAS_SCHEMA.*{says}"):
        project(schema)


def test_an_empty_schema_is_refused_because_its_rows_would_be_lost() -> None:
    with pytest.raises(SchemaError, match="offset long"):
        project(StructType([]))


def test_an_unknown_name_in_columns_is_refused() -> None:
    with pytest.raises(SchemaError, match="no column body"):
        source_schema(include_headers=False, columns=("body",))
