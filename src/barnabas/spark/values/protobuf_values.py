"""Messages of Protocol Buffers to Arrow, a field of all messages at a time.

The protobuf library reads each message; what is done here is to put fields into columns.
"""

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any, Final

import pyarrow as pa

from barnabas.spark.values.arrow_types import arrow_type
from barnabas.spark.values.protobuf_schema import ProtobufField

_WRONG: Final = (ValueError, OverflowError, pa.ArrowException)
"""Text that is no UTF-8 (a message of proto2 may have it), times that microseconds cannot hold."""


def columns_of(messages: list[Any], root: ProtobufField) -> tuple[Any, list[int]]:
    """A `pyarrow.StructArray` of messages, and the rows that Spark's types cannot hold.

    Args:
        messages: one for each row, None where there is none.
        root: the fields that they have.
    """
    try:
        return _message(root, messages), []
    except _WRONG:
        bad = [row for row, each in enumerate(messages) if not _fits(root, each)]
        left = [None if row in set(bad) else each for row, each in enumerate(messages)]
        return _message(root, left), bad


def _fits(root: ProtobufField, message: Any) -> bool:
    try:
        _message(root, [message])
    except _WRONG:
        return False
    return True


def _message(field: ProtobufField, messages: Sequence[Any]) -> Any:
    missing = pa.array([each is None for each in messages], pa.bool_())
    children = [_field(part, messages) for part in field.parts]
    return pa.StructArray.from_arrays(children, fields=list(arrow_type(field.type)), mask=missing)


def _field(field: ProtobufField, messages: Sequence[Any]) -> Any:
    """What one field has in each message."""
    name = field.name
    if field.kind in ("list", "map"):
        found = [() if each is None else getattr(each, name) for each in messages]
        offsets = pa.array([0, *accumulate(map(len, found))], pa.int32())
        if field.kind == "list":
            items = _values(field.parts[0], list(chain.from_iterable(found)))
            return pa.ListArray.from_arrays(offsets, items)
        pairs = [pair for each in found if each for pair in each.items()]
        keys = _values(field.parts[0], [key for key, _ in pairs])
        return pa.MapArray.from_arrays(
            offsets, keys, _values(field.parts[1], [v for _, v in pairs])
        )
    if field.shown:
        return _values(field, [None if each is None else getattr(each, name) for each in messages])
    if field.presence:
        values = [
            getattr(each, name) if each is not None and each.HasField(name) else None
            for each in messages
        ]
        return _values(field, values)
    # Without presence a value that is not set is its type's zero: null, as in `from_protobuf`.
    return _values(field, [(getattr(each, name) or None) if each else None for each in messages])


def _values(field: ProtobufField, values: list[Any]) -> Any:
    """Values of one kind, None where there is none."""
    if field.kind == "message":
        return _message(field, values)
    if field.kind == "time":
        values = [None if each is None else _micros(each) for each in values]
    elif field.kind == "enum":
        known = dict(field.symbols)
        values = [None if each is None else _symbol(known, field, each) for each in values]
    return pa.array(values, arrow_type(field.type))


def _symbol(known: dict[int, str], field: ProtobufField, number: int) -> str:
    """A number that the enum does not have is shown as in `from_protobuf`."""
    return known.get(number) or f"UNKNOWN_ENUM_VALUE_{field.enum}_{number}"


def _micros(value: Any) -> int:
    """Of a Timestamp since 1970, of a Duration."""
    return int(value.seconds) * 1_000_000 + int(value.nanos) // 1000
