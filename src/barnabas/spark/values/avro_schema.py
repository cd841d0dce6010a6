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


_DEEPEST: Final = 64
"""Types within types; decoding calls itself for each."""


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
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    return _Reader().node(parsed, "")


class _Reader:
    """Reads one schema; knows the full names of the types that came before."""

    def __init__(self) -> None:
        self._named: dict[str, AvroNode | None] = {}
        self._space = ""
        self._depth = 0

    def node(self, given: Any, where: str) -> AvroNode:
        """The node of a schema; `where` it stands in the whole."""
        if self._depth == _DEEPEST:
            raise ValueError(f"it is nested too deep, more than {_DEEPEST} types")
        self._depth += 1
        found = self._read(given, where)
        self._depth -= 1
        return found

    def _read(self, given: Any, where: str) -> AvroNode:
        if isinstance(given, list):
            return self._union(given, where)
        if isinstance(given, str):
            return self._by_name(given, where)
        kind = given.get("type") if isinstance(given, dict) else None
        if isinstance(kind, dict | list):
            return self.node(kind, where)
        if not isinstance(kind, str):
            raise _wrong(where, f"is no type: {given!r}")
        logical = given.get("logicalType", "")
        if not isinstance(logical, str):
            raise _wrong(where, f"has a 'logicalType' that is no text: {logical!r}")
        if logical == "decimal":
            raise _wrong(where, "is a decimal, which is not decoded here")
        readers = {
            "record": self._record,
            "error": self._record,
            "enum": self._enum,
            "fixed": self._fixed,
            "array": self._array,
            "map": self._map,
        }
        if read := readers.get(kind):
            return read(given, where)
        as_logical, logical_type = _LOGICAL.get((kind, logical), ("", NullType()))
        return AvroNode(as_logical, logical_type) if as_logical else self._by_name(kind, where)

    def _by_name(self, name: str, where: str) -> AvroNode:
        if name in _PRIMITIVES:
            return AvroNode(name, _PRIMITIVES[name])
        full = self._full(name)
        if full not in self._named:
            raise _wrong(where, f"is of type {name!r}, which is not known")
        found = self._named[full]
        if found is None:
            raise ValueError(f"{where} is of type {name!r}, which has itself as a part")
        return found

    def _union(self, given: list[Any], where: str) -> AvroNode:
        others = [each for each in given if each != "null"]
        if len(given) == 1:
            return self.node(given[0], where)
        if len(given) != 2 or len(others) != 1:
            raise _wrong(where, "is a union of more than null and one other type")
        part = self.node(others[0], where)
        return AvroNode("union", part.type, (part,), size=given.index("null"))

    def _record(self, given: dict[str, Any], where: str) -> AvroNode:
        full = self._named_now(given, where)
        outer, self._space = self._space, full.rpartition(".")[0]
        names: list[str] = []
        parts: list[AvroNode] = []
        for each in _list(given, "fields", where):
            if not isinstance(each, dict):
                raise _wrong(where, f"has a field that is no object: {each!r}")
            if not isinstance(name := each.get("name"), str):
                raise _wrong(where, f"has a field without a 'name': {each!r}")
            names.append(name)
            parts.append(self.node(_part(each, "type", f"{where}.{name}"), f"{where}.{name}"))
        if not parts:
            raise _wrong(where, "is a record without fields")
        self._space = outer
        pairs = zip(names, parts, strict=True)
        made = StructType([StructField(name, part.type) for name, part in pairs])
        return self._remember(full, AvroNode("record", made, tuple(parts), tuple(names)))

    def _enum(self, given: dict[str, Any], where: str) -> AvroNode:
        full, symbols = self._named_now(given, where), _list(given, "symbols", where)
        for each in symbols:
            if not isinstance(each, str):
                raise _wrong(where, f"has a symbol that is no text: {each!r}")
        return self._remember(full, AvroNode("enum", StringType(), names=tuple(symbols)))

    def _fixed(self, given: dict[str, Any], where: str) -> AvroNode:
        full, size = self._named_now(given, where), _part(given, "size", where)
        if type(size) is not int or not 0 <= size < 2**31:
            raise _wrong(where, f"has a 'size' that is no number of bytes: {size!r}")
        return self._remember(full, AvroNode("fixed", BinaryType(), size=size))

    def _array(self, given: dict[str, Any], where: str) -> AvroNode:
        part = self.node(_part(given, "items", where), f"{where}[]")
        return AvroNode("array", ArrayType(part.type), (part,))

    def _map(self, given: dict[str, Any], where: str) -> AvroNode:
        part = self.node(_part(given, "values", where), f"{where}{{}}")
        return AvroNode("map", MapType(StringType(), part.type), (part,))

    def _named_now(self, given: dict[str, Any], where: str) -> str:
        """The full name of a type that is defined here, which must not be a part of itself."""
        name = given.get("name")
        if not isinstance(name, str) or not name:
            raise _wrong(where, "has no 'name'")
        full = self._full(name, given.get("namespace"))
        self._named[full] = None
        return full

    def _full(self, name: str, space: Any = None) -> str:
        """With the namespace that it has itself, else the one given, else the one around it."""
        inner = space if isinstance(space, str) else self._space
        return name if "." in name or not inner else f"{inner}.{name}"

    def _remember(self, full: str, made: AvroNode) -> AvroNode:
        self._named[full] = made
        return made


def _wrong(where: str, problem: str) -> ValueError:
    return ValueError(f"{where or 'it'} {problem}")


def _part(given: dict[str, Any], key: str, where: str) -> Any:
    if key not in given:
        raise _wrong(where, f"has no '{key}'")
    return given[key]


def _list(given: dict[str, Any], key: str, where: str) -> list[Any]:
    found = given.get(key)
    if not isinstance(found, list):
        raise _wrong(where, f"has no list of '{key}'")
    return found
