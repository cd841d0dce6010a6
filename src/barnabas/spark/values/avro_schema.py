"""Reads an Avro schema, which is JSON, into a tree of nodes.

Source: the Avro 1.12 specification, "Schema Declaration".
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DecimalType,
    DoubleType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from barnabas.spark.values.avro_node import PRIMITIVES, TIMES, AvroNode

_DEEPEST: Final = 64
"""Types within types; decoding calls itself for each."""

_MOST_DIGITS: Final = 38
"""Of a decimal, in Spark."""


def avro_schema(text: str, imported: Sequence[str] = ()) -> AvroNode:
    """The tree of a schema in JSON.

    Args:
        text: the schema.
        imported: schemas of the types that it names without having them itself.

    Raises:
        ValueError: it is no schema, or has an unsupported type; the message names the place.
    """
    reader = _Reader()
    for each in imported:
        reader.node(_parsed(each), "")
    return reader.node(_parsed(text), "")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from None


class _Reader:
    """Reads one schema; keeps the full names of the types read before."""

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
        if (kind, logical) == ("bytes", "decimal"):
            return AvroNode("decimal", _decimal(given, where), names=("bytes",))
        time = TIMES.get((kind, logical))
        return self._by_name(kind, where) if time is None else AvroNode(logical, time)

    def _by_name(self, name: str, where: str) -> AvroNode:
        if name in PRIMITIVES:
            return AvroNode(name, PRIMITIVES[name])
        full = self._full(name)
        if full not in self._named:
            raise _wrong(where, f"is of type {name!r}, which is not known")
        found = self._named[full]
        if found is None:
            raise ValueError(
                f"{where} is of type {name!r}, which has itself as a part: Spark has no such types, and "
                "recursiveFieldMaxDepth of from_avro is not offered here"
            )
        return found

    def _union(self, given: list[Any], where: str) -> AvroNode:
        parts = [self.node(each, where) for each in given if each != "null"]
        without = given.index("null") if "null" in given else -1
        if len(given) - len(parts) > 1 or not given:
            raise _wrong(where, "is a union with null more than once, or of nothing")
        if len(given) == 1:
            return parts[0] if parts else self.node("null", where)
        if len(given) == 2 and len(parts) == 1:
            return AvroNode("union", parts[0].type, tuple(parts), size=without)
        if any(part.kind in ("union", "choice") for part in parts):
            raise _wrong(where, "is a union with a union in it")
        return AvroNode("choice", _type_of_choice(parts), tuple(parts), size=without)

    def _record(self, given: dict[str, Any], where: str) -> AvroNode:
        full = self._named_now(given, where)
        outer, self._space = self._space, full.rpartition(".")[0]
        names: list[str] = []
        parts: list[AvroNode] = []
        defaults: list[str | None] = []
        aliases: list[tuple[str, ...]] = []
        for each in _list(given, "fields", where):
            if not isinstance(each, dict):
                raise _wrong(where, f"has a field that is no object: {each!r}")
            if not isinstance(name := each.get("name"), str):
                raise _wrong(where, f"has a field without a 'name': {each!r}")
            if name in names:
                raise _wrong(where, f"has field {name!r} twice")
            names.append(name)
            parts.append(self.node(_part(each, "type", f"{where}.{name}"), f"{where}.{name}"))
            defaults.append(json.dumps(each["default"]) if "default" in each else None)
            others = _list(each, "aliases", f"{where}.{name}") if "aliases" in each else []
            aliases.append(tuple(map(str, others)))
        if not parts:
            raise _wrong(where, "is a record without fields")
        self._space = outer
        pairs = zip(names, parts, strict=True)
        made = StructType([StructField(name, part.type) for name, part in pairs])
        node = AvroNode(
            "record",
            made,
            tuple(parts),
            tuple(names),
            defaults=tuple(defaults),
            aliases=tuple(aliases),
        )
        return self._remember(full, node)

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
        if given.get("logicalType") == "decimal":
            made = AvroNode("decimal", _decimal(given, where), names=("fixed",), size=size)
            return self._remember(full, made)
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


def _type_of_choice(parts: list[AvroNode]) -> DataType:
    """As `from_avro`: of two numbers the wider one, else a struct with a member for each branch."""
    kinds = {part.kind for part in parts}
    if len(parts) == 2 and kinds == {"int", "long"}:
        return LongType()
    if len(parts) == 2 and kinds == {"float", "double"}:
        return DoubleType()
    return StructType([StructField(f"member{at}", part.type) for at, part in enumerate(parts)])


def _decimal(given: dict[str, Any], where: str) -> DecimalType:
    precision, scale = given.get("precision"), given.get("scale", 0)
    if type(precision) is not int or not 1 <= precision <= _MOST_DIGITS:
        raise _wrong(where, f"is a decimal of {precision!r} digits; Spark has 1 to {_MOST_DIGITS}")
    if type(scale) is not int or not 0 <= scale <= precision:
        raise _wrong(where, f"is a decimal with 'scale' {scale!r}; 0 to {precision} is possible")
    return DecimalType(precision, scale)


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
