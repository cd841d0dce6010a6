"""A message of Protocol Buffers: its class, and a tree of fields with their Spark types.

Types are those of Spark's own `from_protobuf`, except for unsigned numbers, which get a type that holds all
of them. Imports protobuf only when it runs.

Source: Spark's "Protobuf Data Source Guide".
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

_SCALARS: Final[dict[str, DataType]] = {
    **dict.fromkeys(("INT32", "SINT32", "SFIXED32"), IntegerType()),
    **dict.fromkeys(("INT64", "SINT64", "SFIXED64", "UINT32", "FIXED32"), LongType()),
    **dict.fromkeys(("UINT64", "FIXED64"), DecimalType(20, 0)),
    "FLOAT": FloatType(),
    "DOUBLE": DoubleType(),
    "BOOL": BooleanType(),
    "STRING": StringType(),
    "BYTES": BinaryType(),
    "ENUM": StringType(),
}
"""By the name of a type in a descriptor."""

_TIMES: Final[dict[str, DataType]] = {
    "google.protobuf.Timestamp": TimestampType(),
    "google.protobuf.Duration": DayTimeIntervalType(),
}

_WELL_KNOWN: Final = (
    *("any", "api", "descriptor", "duration", "empty", "field_mask", "source_context"),
    *("struct", "timestamp", "type", "wrappers"),
)
"""Files in google/protobuf, which most descriptor sets omit."""

_DEEPEST: Final = 64


@dataclass(frozen=True, slots=True)
class ProtobufField:
    """One field, or (as an item of a list or map) one value.

    `kind`: "message", "time", "enum", "list", "map" or "scalar". `parts`: the fields of a message, the item
    of a list, or key and value of a map. `shown`: whether an unset field has its default instead of null.
    `symbols`: those of an enum, by number.
    """

    name: str
    kind: str
    type: DataType
    parts: tuple["ProtobufField", ...] = ()
    shown: bool = False
    presence: bool = False
    symbols: tuple[tuple[int, str], ...] = ()
    enum: str = ""


@dataclass(frozen=True, slots=True)
class ProtobufMessage:
    """`made`: its class. `root`: its fields. `name`: its full name."""

    name: str
    made: Any
    root: ProtobufField


class DescriptorsUnusable(ValueError):
    """The bytes are not a descriptor set, or an imported file is missing."""


def protobuf_message(descriptors: bytes, name: str | None, recursion: int = 0) -> ProtobufMessage:
    """A message of a descriptor set, as `protoc --descriptor_set_out` writes it.

    Args:
        descriptors: the set; files of google/protobuf may be missing.
        name: the name of the message, with or without its package; None: the first one of the last file.
        recursion: how many levels of a message within itself are read, including the outermost one; deeper
            fields are left out. 0: none may contain itself.

    Raises:
        DescriptorsUnusable: as from `descriptor_pool`.
        ValueError: there is no such message, or Spark has no type for it.
    """
    from google.protobuf import message_factory

    pool, files = descriptor_pool(descriptors)
    names = [_full(file, message) for file in files for message in _messages(file)]
    if name is None:
        if not files[-1].message_type:
            raise ValueError(f"{files[-1].name} has no messages")
        name = _full(files[-1], files[-1].message_type[0].name)
    fitting = [each for each in names if each == name or each.rpartition(".")[2] == name]
    if name in fitting:
        fitting = [name]
    if len(fitting) != 1:
        near = fitting or difflib.get_close_matches(name, names) or names[:5]
        raise ValueError(
            f"{'no' if not fitting else 'more than one'} message {name}: {', '.join(near)}"
        )
    descriptor = pool.FindMessageTypeByName(fitting[0])
    root = _Fields(recursion).message(descriptor, "", fitting[0], ())
    if root is None:
        raise ValueError(f"message {name} has no fields")
    return ProtobufMessage(fitting[0], message_factory.GetMessageClass(descriptor), root)


def descriptor_pool(descriptors: bytes) -> tuple[Any, list[Any]]:
    """A pool of all files of a descriptor set, and the files (`FileDescriptorProto`s) themselves.

    Raises:
        DescriptorsUnusable: it is not a descriptor set, or an imported file is missing.
    """
    from google.protobuf import descriptor_pb2
    from google.protobuf import descriptor_pool as pools
    from google.protobuf.message import DecodeError

    try:
        files = list(descriptor_pb2.FileDescriptorSet.FromString(descriptors).file)
    except DecodeError:
        files = []
    if not files:
        raise DescriptorsUnusable(
            "no descriptors: make them by protoc --include_imports --descriptor_set_out"
        )
    pool = pools.DescriptorPool()
    for each in _in_order([*_well_known(), *files]):
        try:
            pool.AddSerializedFile(each.SerializeToString())
        except TypeError as problem:
            raise DescriptorsUnusable(f"{each.name} cannot be used: {problem}") from None
    return pool, files


def _well_known() -> Iterable[Any]:
    from importlib import import_module

    from google.protobuf import descriptor_pb2

    for name in _WELL_KNOWN:
        raw = import_module(f"google.protobuf.{name}_pb2").DESCRIPTOR.serialized_pb
        yield descriptor_pb2.FileDescriptorProto.FromString(raw)


def _in_order(files: list[Any]) -> list[Any]:
    """The files, each after those that it imports; of two with one name the later one counts."""
    by_name = {each.name: each for each in files}
    ordered: dict[str, Any] = {}

    def place(name: str, needed_by: str) -> None:
        if name not in by_name:
            raise DescriptorsUnusable(
                f"{needed_by} imports {name}, which is not there: use protoc --include_imports"
            )
        file = by_name[name]
        if name in ordered or name in waiting:
            return
        waiting.add(name)
        for each in file.dependency:
            place(each, name)
        ordered[name] = file

    waiting: set[str] = set()
    for name in by_name:
        place(name, "")
    return list(ordered.values())


def _full(file: Any, name: str) -> str:
    return f"{file.package}.{name}" if file.package else name


def _messages(file: Any) -> Iterable[str]:
    """The names within the package, including nested messages."""
    waiting = [(each.name, each) for each in file.message_type]
    while waiting:
        name, each = waiting.pop(0)
        yield name
        waiting += [(f"{name}.{inner.name}", inner) for inner in each.nested_type]


@dataclass(frozen=True, slots=True)
class _Fields:
    """Builds the tree of a message; `recursion`: see `protobuf_message`."""

    recursion: int

    def message(
        self, descriptor: Any, name: str, where: str, above: tuple[str, ...]
    ) -> ProtobufField | None:
        """The fields of a message; None if it has none: Spark has no empty structs."""
        within = above.count(descriptor.full_name)
        if within and not self.recursion:
            raise ValueError(
                f"{where} is of message {descriptor.full_name}, which has itself as a part: Spark has "
                "no such types. 'recursive.fields.max.depth' = 2 reads it once within itself, 1 not at all"
            )
        if within and within >= self.recursion:
            return None
        if len(above) == _DEEPEST:
            raise ValueError(f"{where} is nested too deep, more than {_DEEPEST} messages")
        above = (*above, descriptor.full_name)
        fields = [self._field(each, f"{where}.{each.name}", above) for each in descriptor.fields]
        parts = tuple(each for each in fields if each is not None)
        if not parts:
            return None
        made = StructType([StructField(each.name, each.type) for each in parts])
        return ProtobufField(name, "message", made, parts, presence=True)

    def _field(self, descriptor: Any, where: str, above: tuple[str, ...]) -> ProtobufField | None:
        message = descriptor.message_type
        if message is not None and message.GetOptions().map_entry:
            key, value = (
                self._value(message.fields_by_name[each], where, above) for each in ("key", "value")
            )
            if key is None or value is None:
                return None
            return ProtobufField(
                descriptor.name, "map", MapType(key.type, value.type), (key, value)
            )
        item = self._value(descriptor, where, above)
        if item is None or not _is_repeated(descriptor):
            return item
        return ProtobufField(descriptor.name, "list", ArrayType(item.type), (item,))

    def _value(self, descriptor: Any, where: str, above: tuple[str, ...]) -> ProtobufField | None:
        """One value of a field, which may be repeated."""
        name, message = descriptor.name, descriptor.message_type
        if message is not None:
            time = _TIMES.get(message.full_name)
            if time is not None:
                return ProtobufField(name, "time", time, presence=True)
            return self.message(message, name, where, above)
        return ProtobufField(
            name,
            "scalar" if descriptor.enum_type is None else "enum",
            _SCALARS[_type_name(descriptor)],
            shown=descriptor.has_default_value,
            presence=descriptor.has_presence,
            symbols=() if descriptor.enum_type is None else _symbols(descriptor.enum_type),
            enum="" if descriptor.enum_type is None else descriptor.enum_type.name,
        )


def _is_repeated(descriptor: Any) -> bool:
    known = getattr(descriptor, "is_repeated", None)  # Since protobuf 6.
    return descriptor.label == descriptor.LABEL_REPEATED if known is None else bool(known)


def _symbols(enum: Any) -> tuple[tuple[int, str], ...]:
    """The symbols by number; the first one, if a number has several."""
    return tuple((number, each.name) for number, each in enum.values_by_number.items())


def _type_name(descriptor: Any) -> str:
    names = (name for name in dir(descriptor) if name.startswith("TYPE_"))
    return next(n for n in names if getattr(descriptor, n) == descriptor.type).removeprefix("TYPE_")
