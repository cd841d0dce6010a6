"""Convert values written with one Avro schema to another schema; whole columns at a time.

Source: the Avro 1.12 specification, "Schema Resolution". Names of records do not have to match, an
enum keeps symbols that the reader does not know, and null stays null: columns have strings and nulls.
"""

import json
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import DecimalType, StructType

from barnabas.spark.values.arrow_types import arrow_type
from barnabas.spark.values.avro_node import AvroNode

_WIDENED: Final = {
    ("int", "long"),
    ("int", "float"),
    ("int", "double"),
    ("long", "float"),
    ("long", "double"),
    ("float", "double"),
    ("string", "bytes"),
    ("bytes", "string"),
}
"""Types of writers, and of readers that take them."""


def resolved(column: Any, writer: AvroNode, reader: AvroNode, where: str = "") -> Any:
    """A `pyarrow.Array` of the writer's type as one of the reader's.

    Raises:
        ValueError: the reader cannot read what this writer writes; the message says where.
    """
    writer = writer.parts[0] if writer.kind == "union" else writer
    if "choice" in (writer.kind, reader.kind) and writer != reader:
        return _choice(column, writer, reader, where)
    reader = reader.parts[0] if reader.kind == "union" else reader
    if writer == reader:
        return column
    if (writer.kind, reader.kind) in _WIDENED:
        return column.cast(arrow_type(reader.type), safe=False)
    if writer.kind != reader.kind or (writer.type != reader.type and not reader.parts):
        raise ValueError(
            f"{where or 'it'} was written as {writer.kind}, which cannot be read as {reader.kind}"
        )
    read = {"record": _record, "array": _array, "map": _map}.get(reader.kind)
    # The others are an enum, or a fixed or decimal of another name.
    return column if read is None else read(column, writer, reader, where)


def _array(column: Any, writer: AvroNode, reader: AvroNode, where: str) -> Any:
    items = resolved(column.values, writer.parts[0], reader.parts[0], f"{where}[]")
    return pa.ListArray.from_arrays(column.offsets, items, mask=column.is_null())


def _map(column: Any, writer: AvroNode, reader: AvroNode, where: str) -> Any:
    items = resolved(column.items, writer.parts[0], reader.parts[0], f"{where}{{}}")
    made = pa.MapArray.from_arrays(column.offsets, column.keys, items)
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return made.take(pa.array(np.arange(len(made)), mask=missing))


def _record(column: Any, writer: AvroNode, reader: AvroNode, where: str) -> Any:
    arrays = []
    for at, (name, part) in enumerate(zip(reader.names, reader.parts, strict=True)):
        inner = f"{where}.{name}"
        known = [each for each in (name, *reader.aliases[at]) if each in writer.names]
        if known:
            place = writer.names.index(known[0])
            arrays.append(resolved(column.field(place), writer.parts[place], part, inner))
            continue
        default = reader.defaults[at]
        if default is None:
            raise ValueError(f"{inner} was not written, and the schema to read by has no default")
        try:
            value = _value(part, json.loads(default))
            arrays.append(pa.array([value] * len(column), arrow_type(part.type)))
        except (TypeError, ValueError, AttributeError):
            raise ValueError(f"{inner} has a default that is not of its type") from None
    return pa.StructArray.from_arrays(arrays, list(reader.names), mask=column.is_null())


def _choice(column: Any, writer: AvroNode, reader: AvroNode, where: str) -> Any:
    """Each branch that was written goes to the first branch of the reader that takes it."""
    wide = writer.kind == "choice" and not isinstance(writer.type, StructType)
    if wide:
        widest = max(writer.parts, key=lambda part: part.kind in ("long", "double"))
        return resolved(column, widest, reader, where)
    written = list(writer.parts) if writer.kind == "choice" else [writer]
    arrays = (
        [column.field(at) for at in range(len(written))] if writer.kind == "choice" else [column]
    )
    read = list(reader.parts) if reader.kind in ("choice", "union") else [reader]
    found: list[list[Any]] = [[] for _ in read]
    for array, part in zip(arrays, written, strict=True):
        place, made = _first(array, part, read, where)
        found[place].append(made)
    missing = [pa.nulls(len(column), arrow_type(part.type)) for part in read]
    branches = [
        pc.coalesce(*some) if some else nothing
        for some, nothing in zip(found, missing, strict=True)
    ]
    if not isinstance(reader.type, StructType) or reader.kind != "choice":
        whole = arrow_type(reader.type)
        return pc.coalesce(*(each.cast(whole) for each in branches))
    return pa.StructArray.from_arrays(branches, reader.type.fieldNames(), mask=column.is_null())


def _first(array: Any, part: AvroNode, read: list[AvroNode], where: str) -> tuple[int, Any]:
    """The branch of the same kind, or else the first that the written one can become."""
    for place in sorted(range(len(read)), key=lambda at: read[at].kind != part.kind):
        try:
            return place, resolved(array, part, read[place], where)
        except ValueError:
            continue
    kinds = ", ".join(each.kind for each in read)
    raise ValueError(f"{where or 'it'} was written as {part.kind}, which is none of {kinds}")


def _value(node: AvroNode, default: Any) -> Any:
    """A default, given as JSON, as what pyarrow takes for the node's type."""
    if default is None:
        return None
    if node.parts:
        return _nested(node, default)
    if node.kind in ("bytes", "fixed"):
        return default.encode("latin-1")
    if node.kind.endswith("timestamp-millis"):
        return default * 1000
    if not isinstance(node.type, DecimalType):
        return default
    unscaled = int.from_bytes(default.encode("latin-1"), "big", signed=True)
    return Decimal(unscaled).scaleb(-node.type.scale)


def _nested(node: AvroNode, default: Any) -> Any:
    if node.kind == "record":
        pairs = zip(node.names, node.parts, strict=True)
        return {name: _value(part, default.get(name)) for name, part in pairs}
    first = node.parts[0]
    if node.kind == "array":
        return [_value(first, each) for each in default]
    if node.kind == "map":
        return [(key, _value(first, each)) for key, each in default.items()]
    # The default of a union is of its first branch.
    in_struct = node.kind == "choice" and isinstance(node.type, StructType)
    return {"member0": _value(first, default)} if in_struct else _value(first, default)
