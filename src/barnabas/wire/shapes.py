"""Convert a layout for the kernels that read and write structs.

Generated code is then left for what is unusual, and compiled when the first of that comes.
"""

from collections.abc import Callable
from struct import calcsize
from typing import Any

from barnabas.kernels import implementation
from barnabas.kernels.wire import struct_reading, struct_writing
from barnabas.kernels.wire.struct_reading import Reader
from barnabas.kernels.wire.struct_writing import Writer
from barnabas.wire import charges
from barnabas.wire.layout import FieldLayout, StructLayout
from barnabas.wire.schema import Blob, Fixed, RecordSet, Text

_KINDS = {Text: ord("T"), Blob: ord("B"), RecordSet: ord("R"), StructLayout: ord("S")}
_IN_PLACE = -1
_COMPILED = implementation == "compiled"


def reader_of(layout: StructLayout, otherwise: Callable[..., Any], most: int) -> Reader | None:
    """What reads a message, `otherwise` where it is unusual; None where nothing is compiled."""
    return Reader(_read_shape(layout, ""), otherwise, most) if _COMPILED else None


def writer_of(layout: StructLayout, otherwise: Callable[..., Any]) -> Writer | None:
    """The same for writing a message."""
    return Writer(_written_shape(layout), otherwise) if _COMPILED else None


def _read_shape(layout: StructLayout, path: str) -> "struct_reading.Shape":
    """`path` leads to the struct, without the numbers of elements."""
    slots = layout.declared.__dict__

    def field(each: FieldLayout) -> struct_reading.Field:
        inner, cost = None, charges.of_element(each)
        if isinstance(each.kind, StructLayout):
            inner = _read_shape(
                each.kind, f"{path}{each.name}[]." if each.array else f"{path}{each.name}."
            )
            cost = cost if each.array else charges.of_struct(each.kind)
        return struct_reading.Field(slots[each.name], _form(each), inner, cost, path + each.name)

    def missing(each: FieldLayout) -> struct_reading.Missing:
        return struct_reading.Missing(slots[each.name], each.default, each.factory)

    return struct_reading.Shape(
        layout.declared,
        tuple(map(field, layout.fields)),
        tuple(map(field, layout.tagged)),
        tuple(map(missing, (*layout.tagged, *layout.absent))),
        slots["unknown_tags"],
        layout.least_bytes,
        _lengths(layout),
        path + "tagged fields",
    )


def _written_shape(layout: StructLayout) -> "struct_writing.Shape":
    slots = layout.declared.__dict__

    def field(each: FieldLayout) -> struct_writing.Field:
        inner = _written_shape(each.kind) if isinstance(each.kind, StructLayout) else None
        default = None if each.tag is None else each.make_default()
        return struct_writing.Field(slots[each.name], _form(each), inner, default)

    return struct_writing.Shape(
        layout.declared,
        tuple(map(field, layout.fields)),
        tuple(map(field, layout.tagged)),
        slots["unknown_tags"],
        _lengths(layout),
    )


def _form(field: FieldLayout) -> tuple[int, int, bool, bool, int]:
    """Kind, size, whether it is an array, whether there is a null, tag."""
    kind, size = _KINDS.get(type(field.kind), 0), 0
    if isinstance(field.kind, Fixed):
        kind, size = ord(field.kind.code[-1]), calcsize(">" + field.kind.code)
    return kind, size, field.array, field.nullable, _IN_PLACE if field.tag is None else field.tag


def _lengths(layout: StructLayout) -> tuple[int, int, int]:
    """Bytes of the length of a text, of bytes and of an array; 0 for varints."""
    encoding = layout.encoding
    if encoding.compact:
        return 0, 0, 0
    return calcsize(encoding.string), calcsize(encoding.bytes), calcsize(encoding.array)
