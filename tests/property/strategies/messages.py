"""Messages of any declaration, as one version can say them."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from barnabas.wire.layout import FieldLayout, Scalar, StructLayout, layout_of
from barnabas.wire.schema import Blob, Fixed, RecordSet, Text, declaration_of

_UNKNOWN_TAGS = st.dictionaries(st.integers(50, 2**31), st.binary(max_size=5), max_size=2)


@cache
def messages(declared: type, version: int, *, unknown: bool = False) -> st.SearchStrategy[Any]:
    """Objects of `declared`, absent fields at their defaults; `unknown` tagged fields or not."""
    encoding = declaration_of(declared).encoding(version)
    return _structs(layout_of(declared, version, encoding), unknown=unknown)


def _structs(layout: StructLayout, *, unknown: bool) -> st.SearchStrategy[Any]:
    fields = {
        field.name: _values(field, unknown=unknown) for field in (*layout.fields, *layout.tagged)
    }
    made = st.builds(layout.declared, **fields)
    if unknown and layout.encoding.compact:
        return st.builds(_with_tags, made, _UNKNOWN_TAGS)
    return made


def _with_tags(made: Any, tags: dict[int, bytes]) -> Any:
    made.unknown_tags = tags or None
    return made


def _values(field: FieldLayout, *, unknown: bool) -> st.SearchStrategy[Any]:
    if isinstance(field.kind, StructLayout):
        values = _structs(field.kind, unknown=unknown)
    else:
        values = _OF_KIND[field.kind]
    if field.array:
        values = st.lists(values, max_size=3)
    return st.none() | values if field.nullable or field.optional else values


def _integers(bits: int) -> st.SearchStrategy[Any]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


_BYTES = st.binary(max_size=4) | st.just(bytes(1100))

_OF_KIND: dict[Scalar, st.SearchStrategy[Any]] = {
    Text(): st.text(max_size=4) | st.just("x" * 200),
    Blob(): _BYTES,
    RecordSet(): _BYTES,
    Fixed("?"): st.booleans(),
    Fixed("b"): _integers(8),
    Fixed("h"): _integers(16),
    Fixed("i"): _integers(32),
    Fixed("q"): _integers(64),
    Fixed("H"): st.integers(0, 65535),
    Fixed("I"): st.integers(0, 2**32 - 1),
    Fixed("d"): st.floats(allow_nan=False),
    Fixed("16s"): st.binary(min_size=16, max_size=16),
}
