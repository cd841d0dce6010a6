"""Convert messages of Protocol Buffers to Arrow, one field of all messages at a time.

The protobuf library decodes the messages; this module puts their fields into columns.
"""

from itertools import accumulate, chain
from operator import attrgetter
from typing import Any, Final

import pyarrow as pa

from barnabas.spark.values.arrow_types import arrow_type
from barnabas.spark.values.protobuf_schema import ProtobufField, ProtobufMessage

_WRONG: Final = (ValueError, OverflowError, pa.ArrowException)
"""Errors of text that is not UTF-8 (possible in proto2), and of times beyond 64 bits of microseconds."""


def columns_of(messages: list[Any], message: ProtobufMessage) -> tuple[Any, list[int]]:
    """A `pyarrow.StructArray` of messages, and the rows that Spark's types cannot hold.

    Args:
        messages: one for each row, or None.
        message: their class and their fields.
    """
    empty, root = message.made(), message.root
    there = [each is not None for each in messages]
    filled = [empty if each is None else each for each in messages]
    try:
        return _message(root, filled, there), []
    except _WRONG:
        bad = [row for row, each in enumerate(filled) if not _fits(root, each)]
        for row in bad:
            there[row], filled[row] = False, empty
        return _message(root, filled, there), bad


def _fits(root: ProtobufField, message: Any) -> bool:
    try:
        _message(root, [message], [True])
    except _WRONG:
        return False
    return True


def _message(field: ProtobufField, messages: list[Any], there: list[bool]) -> Any:
    """The fields of messages; null where `there` is False, whatever the message."""
    mask = pa.array([not each for each in there], pa.bool_())
    children = [_field(part, messages) for part in field.parts]
    return pa.StructArray.from_arrays(children, fields=list(arrow_type(field.type)), mask=mask)


def _field(field: ProtobufField, messages: list[Any]) -> Any:
    """The values of one field in all messages."""
    get = attrgetter(field.name)
    if field.presence and not field.shown:
        there = [each.HasField(field.name) for each in messages]
        # One default for all, because each access would create an object.
        default = None if all(there) else get(messages[there.index(False)])
        values = [get(m) if is_set else default for m, is_set in zip(messages, there, strict=True)]
        return _values(field, values, there)
    values = list(map(get, messages))
    if field.kind in ("list", "map"):
        return _several(field, values)
    # Without presence, an unset field has the zero of its type, which becomes null, as in `from_protobuf`.
    return _values(field, values if field.shown else [each or None for each in values])


def _several(field: ProtobufField, found: list[Any]) -> Any:
    """The lists or maps of many messages."""
    offsets = pa.array([0, *accumulate(map(len, found))], pa.int32())
    if field.kind == "list":
        items = _values(field.parts[0], list(chain.from_iterable(found)))
        return pa.ListArray.from_arrays(offsets, items)
    pairs = [pair for each in found if each for pair in each.items()]
    keys = _values(field.parts[0], [key for key, _ in pairs])
    return pa.MapArray.from_arrays(offsets, keys, _values(field.parts[1], [v for _, v in pairs]))


def _values(field: ProtobufField, values: list[Any], there: list[bool] | None = None) -> Any:
    """Values of one kind; null where one is None or missing."""
    if field.kind == "message":
        return _message(field, values, there or [True] * len(values))
    if there is not None:
        values = [each if is_there else None for each, is_there in zip(values, there, strict=True)]
    if field.kind == "time":
        values = [None if each is None else _micros(each) for each in values]
    elif field.kind == "enum":
        known = dict(field.symbols)
        values = [None if each is None else _symbol(known, field, each) for each in values]
    return pa.array(values, arrow_type(field.type))


def _symbol(known: dict[int, str], field: ProtobufField, number: int) -> str:
    """The symbol of a number; unknown numbers are shown as in `from_protobuf`."""
    return known.get(number) or f"UNKNOWN_ENUM_VALUE_{field.enum}_{number}"


def _micros(value: Any) -> int:
    """Microseconds of a Timestamp, since 1970, or of a Duration."""
    return int(value.seconds) * 1_000_000 + int(value.nanos) // 1000
