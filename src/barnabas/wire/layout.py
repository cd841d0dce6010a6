"""The layout of a message in one version: declarations resolved to a tree of fields.

Writes and reads nothing: `reading` and `writing` turn a layout into code.
"""

from collections.abc import Callable
from struct import calcsize
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from barnabas.wire.encoding import Encoding
from barnabas.wire.schema import REQUIRED, Blob, Fixed, On, RecordSet, Text, declaration_of

Scalar = Fixed | Text | Blob | RecordSet


class FieldLayout(NamedTuple):
    """One field as a version has it. `kind` is that of the elements if it is an array.

    `nullable`: there is a null on the wire. `optional`: None in the object means absent (structs
    that are tagged).
    """

    name: str
    kind: "Scalar | StructLayout"
    array: bool
    nullable: bool
    optional: bool
    tag: int | None
    default: Any
    factory: Callable[[], Any] | None

    @property
    def run_code(self) -> str | None:
        """The struct code, if the field always has the same size."""
        return self.kind.code if isinstance(self.kind, Fixed) and not self.array else None

    def make_default(self) -> Any:
        """The value of the field where it is not on the wire."""
        return self.default if self.factory is None else self.factory()


class StructLayout(NamedTuple):
    """The fields of one struct: in order on the wire, tagged, and those that this version lacks."""

    declared: type
    encoding: Encoding
    fields: tuple[FieldLayout, ...]
    tagged: tuple[FieldLayout, ...]
    absent: tuple[FieldLayout, ...]

    @property
    def run_codes(self) -> str | None:
        """The struct codes of all fields, if all have a fixed size; without tagged fields."""
        codes = [field.run_code for field in self.fields]
        return None if None in codes or not codes else "".join(filter(None, codes))

    @property
    def least_bytes(self) -> int:
        """The fewest bytes it can take, at least 1: bounds how many can be in what is left."""
        least = sum(map(self._least, self.fields)) + self.encoding.compact
        return max(1, least)

    def has_records(self) -> bool:
        """Whether a field of records is anywhere inside."""
        return any(
            field.kind.has_records()
            if isinstance(field.kind, StructLayout)
            else isinstance(field.kind, RecordSet)
            for field in (*self.fields, *self.tagged)
        )

    def _least(self, field: FieldLayout) -> int:
        if field.run_code is not None:
            return calcsize(">" + field.run_code)
        if isinstance(field.kind, StructLayout) and not field.array:
            return 1 if field.nullable else field.kind.least_bytes
        if self.encoding.compact:
            return 1
        return calcsize(">" + length_code(field, self.encoding))


def length_code(field: FieldLayout, encoding: Encoding) -> str:
    """The struct code of the field's length where lengths are not compact."""
    if field.array:
        return encoding.array
    return encoding.string if isinstance(field.kind, Text) else encoding.bytes


def element(field: FieldLayout) -> FieldLayout:
    """What an array holds, as a field of its own."""
    return field._replace(array=False, nullable=False, optional=False, tag=None)


def layout_of(declared: type, version: int, encoding: Encoding) -> StructLayout:
    """Resolve `declared`, a message or struct, for one version."""
    hints = get_type_hints(declared, include_extras=True)
    specs = declaration_of(declared).fields
    resolved = [
        (specs[name].versions, _field(name, hints[name], specs[name], version, encoding))
        for name in specs
    ]
    there = [field for versions, field in resolved if version in versions]
    return StructLayout(
        declared,
        encoding,
        tuple(field for field in there if field.tag is None),
        tuple(sorted((f for f in there if f.tag is not None), key=lambda f: f.tag or 0)),
        tuple(field for versions, field in resolved if version not in versions),
    )


def _field(name: str, hint: Any, spec: On, version: int, encoding: Encoding) -> FieldLayout:
    hint, maybe_none = _without_none(hint)
    array = get_origin(hint) is list
    if array:
        (hint,) = get_args(hint)
    kind = _kind(hint, version, encoding)
    tagged = spec.tag is not None and version in (spec.tagged or spec.versions)
    alone = isinstance(kind, StructLayout) and not array
    nullable = maybe_none and (spec.nullable is None or version in spec.nullable)
    if tagged and alone and spec.nullable is None:
        nullable = False
    assert spec.default is not REQUIRED or spec.factory or not tagged, f"{name} needs a default"
    return FieldLayout(
        name,
        kind,
        array,
        nullable,
        tagged and alone and maybe_none,
        spec.tag if tagged else None,
        spec.default,
        spec.factory,
    )


def _without_none(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) not in (Union, UnionType):
        return hint, False
    inner = [part for part in get_args(hint) if part is not NoneType]
    return (inner[0], True) if len(inner) == 1 else (hint, False)


def _kind(hint: Any, version: int, encoding: Encoding) -> Scalar | StructLayout:
    if get_origin(hint) is Annotated:
        kind = hint.__metadata__[0]
        assert isinstance(kind, Fixed | Text | Blob | RecordSet), hint
        return kind
    return layout_of(hint, version, encoding)
