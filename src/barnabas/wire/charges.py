"""The approximate memory of a decoded message, in bytes; readers have a limit.

The kernel and the generated code charge alike. What is a part of each object of a struct is worked out
here, once; the bytes of texts and of byte fields are added as they are read. Records are views and cost
what a view does.
"""

from barnabas.wire.layout import FieldLayout, StructLayout, element
from barnabas.wire.schema import Blob, Fixed, RecordSet, Text

MOST_REQUEST_BYTES = 40 << 20
"""The default of `socket.request.max.memory.bytes`."""

MOST_REPLY_BYTES = 31 << 20
"""Of one reply, as bytes: all that is not taken at once must fit into what may be unread (`UNREAD_BYTES`)."""

LEAST_ELEMENT = 192
"""An element of an array or a tagged field, however small: its handler makes something of it, and an
answer of that."""

WIDEST_CHARACTER = 4
"""Bytes in memory of each character of a text that is not ASCII, at most."""

LONG_TEXT = 32767
"""Bytes. Of a longer one that is charged before it is looked at. Kafka reads no longer one."""

_OBJECT = 32
_SLOT = 8
_HELD = {"b": 0, "?": 0, "16s": 56}
_NUMBER = 32
_HEAD_OF = {Text: 56, Blob: 40, RecordSet: 200}
_LIST = 64


def of_struct(layout: StructLayout) -> int:
    """An object of a struct, with its fields of fixed size."""
    every = (*layout.fields, *layout.tagged, *layout.absent)
    lists = sum(field.factory is list for field in (*layout.tagged, *layout.absent))
    own = _OBJECT + _SLOT * (len(every) + 1)
    return own + _LIST * lists + sum(map(_of_field, layout.fields))


def of_element(field: FieldLayout) -> int:
    """An element of the array that a field is, with its place in the list."""
    return max(LEAST_ELEMENT, _SLOT + _of_field(element(field)))


def _of_field(field: FieldLayout) -> int:
    if field.array:
        return _LIST
    if isinstance(field.kind, StructLayout):
        # One that may be null is charged when it is there.
        return 0 if field.nullable else of_struct(field.kind)
    if isinstance(field.kind, Fixed):
        return _HELD.get(field.kind.code, _NUMBER)
    return _HEAD_OF[type(field.kind)]
