"""A codec that is slow and obvious: it walks the declaration again for every value.

It shares the declarations with the real one and nothing else.
"""

from io import BytesIO
from struct import Struct
from types import NoneType
from typing import Any, get_args, get_type_hints

from barnabas.wire.schema import Blob, Fixed, On, RecordSet, Text, declaration_of


class Reference:
    """Reads and writes one version of one message, field by field."""

    def __init__(self, declared: type, version: int) -> None:
        self._declared = declared
        self._version = version
        self._flexible = version in declaration_of(declared).flexible

    def encode(self, message: Any) -> bytes:
        out = BytesIO()
        self._write_struct(out, message)
        return out.getvalue()

    def decode(self, data: bytes) -> Any:
        read = BytesIO(data)
        message = self._read_struct(read, self._declared)
        assert read.read() == b""
        return message

    # -- fields -------------------------------------------------------------------------------

    def _present(self, declared: type) -> list[tuple[str, Any, On]]:
        hints = get_type_hints(declared, include_extras=True)
        fields = declaration_of(declared).fields.items()
        return [
            (name, hints[name], spec) for name, spec in fields if self._version in spec.versions
        ]

    def _tag(self, spec: On) -> int | None:
        return spec.tag if self._version in (spec.tagged or spec.versions) else None

    def _may_be_null(self, hint: Any, spec: On) -> bool:
        if NoneType not in get_args(hint):
            return False
        tagged_struct = self._tag(spec) is not None and isinstance(_inner(hint), type)
        if tagged_struct and spec.nullable is None:
            return False
        return spec.nullable is None or self._version in spec.nullable

    # -- writing ------------------------------------------------------------------------------

    def _write_struct(self, out: BytesIO, value: Any) -> None:
        tags = dict(value.unknown_tags or {})
        for name, hint, spec in self._present(type(value)):
            field = getattr(value, name)
            tag = self._tag(spec)
            if tag is None:
                self._write(out, hint, field, nullable=self._may_be_null(hint, spec))
            elif field != (spec.factory() if spec.factory else spec.default):
                inner = BytesIO()
                self._write(inner, hint, field, nullable=self._may_be_null(hint, spec))
                tags[tag] = inner.getvalue()
        if self._flexible:
            out.write(_varint(len(tags)))
            for tag in sorted(tags):
                out.write(_varint(tag) + _varint(len(tags[tag])) + tags[tag])

    def _write(self, out: BytesIO, hint: Any, value: Any, *, nullable: bool) -> None:
        kind = _kind(_inner(hint))
        if isinstance(kind, Fixed):
            out.write(Struct(">" + kind.code).pack(value))
        elif kind is list:
            self._write_length(out, None if value is None else len(value), "i")
            (item,) = get_args(_inner(hint))
            for each in value or ():
                self._write(out, item, each, nullable=False)
        elif isinstance(kind, Text | Blob | RecordSet):
            data = value.encode() if isinstance(value, str) else value
            self._write_length(
                out, None if data is None else len(data), "h" if isinstance(kind, Text) else "i"
            )
            out.write(data or b"")
        else:
            if nullable:
                out.write(b"\xff" if value is None else b"\x01")
            if value is not None:
                self._write_struct(out, value)

    def _write_length(self, out: BytesIO, length: int | None, code: str) -> None:
        if self._flexible:
            out.write(_varint(0 if length is None else length + 1))
        else:
            out.write(Struct(">" + code).pack(-1 if length is None else length))

    # -- reading ------------------------------------------------------------------------------

    def _read_struct(self, read: BytesIO, declared: type) -> Any:
        values: dict[str, Any] = {}
        tagged = {}
        for name, hint, spec in self._present(declared):
            tag = self._tag(spec)
            if tag is None:
                values[name] = self._read(read, hint, nullable=self._may_be_null(hint, spec))
            else:
                tagged[tag] = (name, hint, spec)
        unknown = {}
        for _ in range(_read_varint(read) if self._flexible else 0):
            tag = _read_varint(read)
            data = read.read(_read_varint(read))
            if tag in tagged:
                name, hint, spec = tagged[tag]
                nullable = self._may_be_null(hint, spec)
                values[name] = self._read(BytesIO(data), hint, nullable=nullable)
            else:
                unknown[tag] = data
        made = declared(**values)
        made.unknown_tags = unknown or None
        return made

    def _read(self, read: BytesIO, hint: Any, *, nullable: bool) -> Any:
        kind = _kind(_inner(hint))
        if isinstance(kind, Fixed):
            shape = Struct(">" + kind.code)
            return shape.unpack(read.read(shape.size))[0]
        if kind is list:
            (item,) = get_args(_inner(hint))
            length = self._read_length(read, "i")
            if length is None:
                return None
            return [self._read(read, item, nullable=False) for _ in range(length)]
        if isinstance(kind, Text | Blob | RecordSet):
            return self._read_bytes(read, kind)
        if nullable and read.read(1) == b"\xff":
            return None
        return self._read_struct(read, _inner(hint))

    def _read_bytes(self, read: BytesIO, kind: Any) -> str | bytes | None:
        length = self._read_length(read, "h" if isinstance(kind, Text) else "i")
        if length is None:
            return None
        data = read.read(length)
        return data.decode() if isinstance(kind, Text) else data

    def _read_length(self, read: BytesIO, code: str) -> int | None:
        if self._flexible:
            length = _read_varint(read) - 1
        else:
            shape = Struct(">" + code)
            (length,) = shape.unpack(read.read(shape.size))
        return None if length < 0 else length


def _inner(hint: Any) -> Any:
    """The type without `| None`."""
    parts = [part for part in get_args(hint) if part is not NoneType]
    return parts[0] if NoneType in get_args(hint) else hint


def _kind(inner: Any) -> Any:
    """Fixed, Text, Blob or RecordSet; `list`; or the declared class of a struct."""
    if hasattr(inner, "__metadata__"):
        return inner.__metadata__[0]
    return getattr(inner, "__origin__", inner)


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value % 128 + 128])
        value //= 128
    return out + bytes([value])


def _read_varint(read: BytesIO) -> int:
    value = shift = 0
    while True:
        byte = read.read(1)[0]
        value += (byte % 128) << shift
        shift += 7
        if byte < 128:
            return value
