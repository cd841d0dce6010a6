"""The Arrow type of each Spark type that a column can have. Imports pyarrow only when it runs."""

from typing import Any

from pyspark.sql.types import ArrayType, DataType, DecimalType, MapType, StructType


def arrow_type(given: DataType) -> Any:
    """The `pyarrow.DataType` that Spark expects, nullability included."""
    import pyarrow as pa

    if isinstance(given, ArrayType):
        element = arrow_type(given.elementType)
        return pa.list_(pa.field("element", element, nullable=given.containsNull))
    if isinstance(given, MapType):
        item = pa.field("value", arrow_type(given.valueType), nullable=given.valueContainsNull)
        return pa.map_(arrow_type(given.keyType), item)
    if isinstance(given, StructType):
        return pa.struct(
            [
                pa.field(each.name, arrow_type(each.dataType), nullable=each.nullable)
                for each in given
            ]
        )
    if isinstance(given, DecimalType):
        return pa.decimal128(given.precision, given.scale)
    return {
        "binary": pa.binary(),
        "string": pa.utf8(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "timestamp": pa.timestamp("us", tz="UTC"),
        "timestamp_ntz": pa.timestamp("us"),
        "interval day to second": pa.duration("us"),
        "boolean": pa.bool_(),
        "float": pa.float32(),
        "double": pa.float64(),
        "date": pa.date32(),
        "void": pa.null(),
    }[given.simpleString()]
