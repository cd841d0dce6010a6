"""What an Avro schema says: a tree of nodes, each with the Spark type that it becomes.

Types become what Spark's own `from_avro` makes of them; every field may be null.

Source: the Avro 1.12 specification; Spark's "Apache Avro Data Source Guide".
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

_PRIMITIVES: Final[dict[str, DataType]] = {
    "null": NullType(),
    "boolean": BooleanType(),
    "int": IntegerType(),
    "long": LongType(),
    "float": FloatType(),
    "double": DoubleType(),
    "bytes": BinaryType(),
    "string": StringType(),
}
_LOGICAL: Final[dict[tuple[str, str], tuple[str, DataType]]] = {
    ("int", "date"): ("date", DateType()),
    ("long", "timestamp-millis"): ("timestamp-millis", TimestampType()),
    ("long", "timestamp-micros"): ("timestamp-micros", TimestampType()),
}
"""By type and logical type: the kind of node. Others are read as the type below them, but decimals."""


@dataclass(frozen=True, slots=True)
class AvroNode:
    """One type.

    `parts`: the fields of a record, items of an array, values of a map, or what a union has besides
    null. `names`: of fields or symbols. `size`: of a fixed; of a union, which branch is null.
    """

    kind: str
    type: DataType
    parts: tuple["AvroNode", ...] = ()
    names: tuple[str, ...] = ()
    size: int = 0


def avro_schema(text: str) -> AvroNode:
    """The tree of a schema in JSON.

    Raises:
        ValueError: it is no schema, or has what is not decoded here; the message says where.
    """
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    return _Reader().node(parsed, "")


class _Reader:
    """Reads one schema; knows the named types that came before."""

    def __init__(self) -> None:
        self._named: dict[str, AvroNode | None] = {}

    def node(self, given: Any, where: str) -> AvroNode:
        """The node of a schema; `where` it stands in the whole."""
        if isinstance(given, list):
            return self._union(given, where)
        if isinstance(given, str):
            return self._by_name(given, where)
        if not isinstance(given, dict) or "type" not in given:
            raise ValueError(f"{where or 'it'} is no type: {given!r}")
        kind = given["type"]
        if isinstance(kind, dict | list):
            return self.node(kind, where)
        readers = {
            "record": self._record,
            "error": self._record,
            "enum": self._enum,
            "fixed": self._fixed,
            "array": self._array,
            "map": self._map,
        }
        read = readers.get(kind)
        return self._logical(given, where) if read is None else read(given, where)

    def _logical(self, given: dict[str, Any], where: str) -> AvroNode:
        logical = given.get("logicalType", "")
        if logical == "decimal":
            raise ValueError(f"{where or 'it'} is a decimal, which is not decoded here")
        kind, kind_type = _LOGICAL.get((given["type"], logical), ("", NullType()))
        return AvroNode(kind, kind_type) if kind else self._by_name(given["type"], where)

    def _by_name(self, name: str, where: str) -> AvroNode:
        if name in _PRIMITIVES:
            return AvroNode(name, _PRIMITIVES[name])
        if name not in self._named:
            raise ValueError(f"{where or 'it'} is of type {name!r}, which is not known")
        found = self._named[name]
        if found is None:
            raise ValueError(f"{where} is of type {name!r}, which has itself as a part")
        return found

    def _union(self, given: list[Any], where: str) -> AvroNode:
        others = [each for each in given if each != "null"]
        if len(given) == 1:
            return self.node(given[0], where)
        if len(given) != 2 or len(others) != 1:
            raise ValueError(f"{where or 'it'} is a union of more than null and one other type")
        part = self.node(others[0], where)
        return AvroNode("union", part.type, (part,), size=given.index("null"))

    def _record(self, given: dict[str, Any], where: str) -> AvroNode:
        self._named |= dict.fromkeys(_names(given))
        fields = given.get("fields") or []
        names = tuple(str(each["name"]) for each in fields)
        parts = tuple(self.node(each["type"], f"{where}.{each['name']}") for each in fields)
        if not parts:
            raise ValueError(f"{where or 'it'} is a record without fields")
        pairs = zip(names, parts, strict=True)
        made = StructType([StructField(name, part.type) for name, part in pairs])
        return self._remember(given, AvroNode("record", made, parts, names))

    def _enum(self, given: dict[str, Any], where: str) -> AvroNode:  # noqa: ARG002
        names = tuple(map(str, given["symbols"]))
        return self._remember(given, AvroNode("enum", StringType(), names=names))

    def _fixed(self, given: dict[str, Any], where: str) -> AvroNode:
        if given.get("logicalType") == "decimal":
            raise ValueError(f"{where or 'it'} is a decimal, which is not decoded here")
        return self._remember(given, AvroNode("fixed", BinaryType(), size=int(given["size"])))

    def _array(self, given: dict[str, Any], where: str) -> AvroNode:
        part = self.node(given["items"], f"{where}[]")
        return AvroNode("array", ArrayType(part.type), (part,))

    def _map(self, given: dict[str, Any], where: str) -> AvroNode:
        part = self.node(given["values"], f"{where}{{}}")
        return AvroNode("map", MapType(StringType(), part.type), (part,))

    def _remember(self, given: dict[str, Any], made: AvroNode) -> AvroNode:
        self._named |= dict.fromkeys(_names(given), made)
        return made


def _names(given: dict[str, Any]) -> list[str]:
    """By which a named type may be called."""
    name, space = str(given.get("name", "")), given.get("namespace")
    return [name, f"{space}.{name}"] if space else [name]
