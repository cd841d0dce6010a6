"""The columns of the source, and the selection and types of a query.

Imports pyarrow only when an Arrow schema is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pyspark.sql.types import (
    ArrayType,
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
from barnabas.spark.options.formats import Formats
from barnabas.spark.values.arrow_types import arrow_type

HEADERS_TYPE = ArrayType(
    StructType([StructField("key", StringType()), StructField("value", BinaryType())])
)

COLUMNS: dict[str, DataType] = {
    "key": BinaryType(),
    "value": BinaryType(),
    "topic": StringType(),
    "partition": IntegerType(),
    "offset": LongType(),
    "timestamp": TimestampType(),
    "timestampType": IntegerType(),
    "headers": HEADERS_TYPE,
}
"""Names, types and order as Spark's own Kafka source has them; `headers` only when asked for."""

BINARY = Formats()
"""Keys and values are not decoded."""

ALSO_STRING = frozenset({"key", "value"})
"""Columns that a schema may declare as string; the bytes are not checked to be UTF-8."""

FROM_BATCHES = frozenset({"key", "value", "offset", "timestamp", "timestampType", "headers"})
"""Columns from record batches; the other columns have one value for the whole partition."""


def source_schema(
    *,
    include_headers: bool,
    columns: tuple[str, ...] | None,
    types: Mapping[str, DataType] = MappingProxyType({}),
) -> StructType:
    """The default schema; `types`: the columns with other types than usual.

    Raises:
        SchemaError: `columns` (from the option) names an unknown column.
    """
    if columns is None:
        columns = tuple(name for name in COLUMNS if include_headers or name != "headers")
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        raise SchemaError(
            f"there is no column {', '.join(unknown)}; option 'columns' takes {', '.join(COLUMNS)}"
        )
    chosen = COLUMNS | dict(types)
    return StructType([StructField(name, chosen[name]) for name in columns])


@dataclass(frozen=True, slots=True)
class Projection:
    """A checked schema: what to decode, and the layout of each batch. Pickled into tasks."""

    schema: StructType
    formats: Formats = BINARY

    @property
    def decodes(self) -> bool:
        """Whether values are decoded: they have a format, and are selected or decide which rows remain."""
        needed = "value" in self.schema.fieldNames() or self.formats.bad == "topic"
        return self.formats.values is not None and needed

    @property
    def decoded(self) -> frozenset[str]:
        """The needed columns of `FROM_BATCHES`; if none, records are only counted."""
        found = FROM_BATCHES.intersection(self.schema.fieldNames())
        if not self.decodes:
            return found
        # An error names the offset of its value; a dead letter contains the whole record.
        return found | ({"offset"} if self.formats.bad != "topic" else FROM_BATCHES)

    def arrow_schema(self) -> Any:
        """The `pyarrow.Schema` with which Spark compares the first batch, including nullability."""
        import pyarrow as pa

        return pa.schema(
            [
                pa.field(field.name, arrow_type(field.dataType), nullable=field.nullable)
                for field in self.schema
            ]
        )


def project(schema: StructType, formats: Formats = BINARY) -> Projection:
    """Check a schema of the user: any of the columns, in any order, each once.

    Raises:
        SchemaError: the schema is empty, or a column is unknown, repeated or of a wrong type.
    """
    if not len(schema):
        raise SchemaError("the schema is empty; to count records cheaply ask for 'offset long'")
    seen: set[str] = set()
    for field in schema:
        known = COLUMNS.get(field.name)
        if known is None:
            raise SchemaError(f"there is no column {field.name}; there are {', '.join(COLUMNS)}")
        if field.name in seen:
            raise SchemaError(f"column {field.name} is there twice")
        seen.add(field.name)
        given, right = field.dataType.simpleString(), known.simpleString()
        formatted = formats.types.get(field.name)
        if formatted is not None:
            if given != formatted.simpleString():
                what = f"{formatted.simpleString()} by its format, not {given}"
                raise SchemaError(f"column {field.name} is {what}")
            continue
        if given == right or (given == "string" and field.name in ALSO_STRING):
            continue
        also = " or string" if field.name in ALSO_STRING else ""
        raise SchemaError(f"column {field.name} is {right}{also}, not {given}")
    return Projection(schema, formats)
