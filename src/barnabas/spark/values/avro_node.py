"""One type of an Avro schema, and the Spark type that it becomes.

Types become what Spark's own `from_avro` makes of them; every field may be null.

Source: the Avro 1.12 specification; Spark's "Apache Avro Data Source Guide".
"""

from dataclasses import dataclass
from typing import Final

from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NullType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

PRIMITIVES: Final[dict[str, DataType]] = {
    "null": NullType(),
    "boolean": BooleanType(),
    "int": IntegerType(),
    "long": LongType(),
    "float": FloatType(),
    "double": DoubleType(),
    "bytes": BinaryType(),
    "string": StringType(),
}

TIMES: Final[dict[tuple[str, str], DataType]] = {
    ("int", "date"): DateType(),
    ("long", "timestamp-millis"): TimestampType(),
    ("long", "timestamp-micros"): TimestampType(),
    ("long", "local-timestamp-millis"): TimestampNTZType(),
    ("long", "local-timestamp-micros"): TimestampNTZType(),
}
"""By type and logical type, which is the kind of node. Of other logical types the type below counts."""


@dataclass(frozen=True, slots=True)
class AvroNode:
    """One type.

    `kind`: the name of the type, of a time's logical type, "decimal" (`names` has the type below),
    "union" (null and one type) or "choice" (another union).
    `parts`: the fields of a record, items of an array, values of a map, branches of a union or
    choice but null. `names`: of fields or symbols. `size`: of a fixed; of a union or choice, which
    branch is null (-1: none).
    `defaults`: of fields, as JSON, None where there is none; `aliases`: of fields.
    """

    kind: str
    type: DataType
    parts: tuple["AvroNode", ...] = ()
    names: tuple[str, ...] = ()
    size: int = 0
    defaults: tuple[str | None, ...] = ()
    aliases: tuple[tuple[str, ...], ...] = ()
