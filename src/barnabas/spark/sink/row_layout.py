"""Which columns of a DataFrame form a record; checked before anything is written.

Source: Spark's "Structured Streaming + Kafka Integration Guide", "Writing Data to Kafka".
"""

from dataclasses import dataclass

from pyspark.sql.types import StructType

from barnabas.spark.errors import SchemaError
from barnabas.spark.readers.schema import HEADERS_TYPE

TYPES = {
    "topic": ("string",),
    "key": ("string", "binary"),
    "value": ("string", "binary"),
    "headers": (HEADERS_TYPE.simpleString(),),
    "partition": ("int",),
    "timestamp": ("timestamp",),
}
"""The columns that the sink writes; others are ignored, as by Spark's own sink."""


@dataclass(frozen=True, slots=True)
class RowLayout:
    """The columns to write. Pickled into tasks."""

    topic: str | None
    columns: tuple[str, ...]


def row_layout(schema: StructType, topic: str | None) -> RowLayout:
    """Check the columns to write.

    Args:
        schema: that of the DataFrame.
        topic: option `topic`, which overrides the column.

    Raises:
        SchemaError: value or topic is missing, or a column has a wrong type.
    """
    names = schema.fieldNames()
    if "value" not in names:
        raise SchemaError("a column 'value' (string or binary) is needed to write records")
    if topic is None and "topic" not in names:
        raise SchemaError("no topic: set option 'topic', or have a string column 'topic'")
    for field in schema:
        right = TYPES.get(field.name)
        given = field.dataType.simpleString()
        if right is not None and given not in right:
            raise SchemaError(
                f"column {field.name} is {given}; to be written it must be {' or '.join(right)}"
            )
    return RowLayout(topic, tuple(name for name in names if name in TYPES))
