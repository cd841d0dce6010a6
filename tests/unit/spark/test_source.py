"""What Spark passes besides a user's options, by the way in which it is asked."""

import pytest
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from barnabas.spark.errors import OptionError, SchemaError
from barnabas.spark.source import batch_reader, schema, stream_writer

TABLE = {"provider": "barnabas", "owner": "root"}
VALUE = StructType([StructField("value", StringType())])


def test_a_table_has_the_sources_columns_whether_options_come_or_not() -> None:
    assert schema(TABLE).fieldNames()[:3] == ["key", "value", "topic"]
    given = {"kafka.bootstrap.servers": "h:1", "subscribe": "dogs", "includeheaders": "true"}
    twice = TABLE | given | {f"option.{name}": value for name, value in given.items()}
    assert schema(twice).fieldNames()[-1] == "headers"
    assert schema(TABLE | {"columns": "key,value", "option.columns": "key,value"}).fieldNames() == [
        "key",
        "value",
    ]
    assert schema(TABLE | {"option.topic": "dogs", "quality": "gold"}) == schema(TABLE)


def test_a_table_whose_options_spark_lost_says_where_they_belong() -> None:
    with pytest.raises(OptionError, match=r"SELECT \* FROM name WITH .*temporary view"):
        batch_reader({}, VALUE)


def test_the_name_that_pipelines_give_a_query_is_no_option_of_ours() -> None:
    given = {"kafka.bootstrap.servers": "h:1", "topic": "dogs", "queryname": "flow"}
    stream_writer(given, VALUE)


def test_text_makes_strings_of_keys_and_values() -> None:
    given = {"kafka.bootstrap.servers": "h:1", "subscribe": "dogs", "valueformat": "text"}
    assert [schema(given)[name].dataType.typeName() for name in ("key", "value")] == [
        *("binary", "string"),
    ]
    both = given | {"keyformat": "Text", "columns": "value,key"}
    assert schema(both).simpleString() == "struct<value:string,key:string>"
    batch_reader(given, VALUE)
    with pytest.raises(SchemaError, match="value is string by its format, not binary"):
        batch_reader(given, StructType([StructField("value", BinaryType())]))
    assert (
        schema(TABLE | {"valueformat": "text", "option.valueformat": "text"})["value"].dataType
        == StringType()
    )
