"""FieldReader: walks a declared message in one version, recording what codecs skip.

It continues where it can: a forbidden null, invalid UTF-8, a tagged field of the wrong size are
faults. If nothing more can be read, it raises Broken.
"""

from functools import cache
from typing import Any, NamedTuple

from barnabas.lens.walks.part import Fault
from barnabas.lens.walks.walk import KINDS, Content, UnreadableBytes, Walk, counted_bytes
from barnabas.lens.walks.words import meaning_of, sentence_of
from barnabas.wire.encoding import Encoding
from barnabas.wire.layout import FieldLayout, StructLayout, element, layout_of, length_code
from barnabas.wire.schema import Fixed, RecordSet, Text, declaration_of


class Contents(NamedTuple):
    """Readers for record sets, and for bytes fields by struct and name; others stay bytes."""

    records: Content
    known: dict[tuple[type, str], Content]


@cache
def layout_in(declared: type, version: int, encoding: Encoding) -> StructLayout:
    """`layout_of`, cached."""
    return layout_of(declared, version, encoding)


def encoding_in(declared: type, version: int) -> Encoding:
    """How a version of a message encodes lengths."""
    return declaration_of(declared).encoding(version)


class FieldReader:
    """Reads structs from a walk. `tags`: whether flexible versions have tagged fields."""

    def __init__(self, walk: Walk, contents: Contents, *, tags: bool = True) -> None:
        self._walk = walk
        self._contents = contents
        self._tags = tags

    def struct(self, layout: StructLayout, path: str) -> Any:
        """Read all fields of a struct, as an object of its class.

        Raises:
            UnreadableBytes: it does not parse to its end.
        """
        values = {
            field.name: self._field(field, layout, path + field.name) for field in layout.fields
        }
        unknown = None
        if layout.encoding.compact and self._tags:
            unknown = self._tagged(layout, path, values)
        made = layout.declared(**values)
        made.unknown_tags = unknown
        return made

    def _field(self, field: FieldLayout, layout: StructLayout, path: str) -> Any:
        kind = field.kind
        if field.array:
            return self._array(field, layout, path)
        if isinstance(kind, StructLayout):
            if field.nullable:
                marker = self._walk.number("b", path, "-1: null, else the struct follows")
                if marker < 0:
                    return None
            return self.struct(kind, path + ".")
        if isinstance(kind, Fixed):
            return self._fixed(kind.code, layout, field.name, path)
        return self._sized(field, layout, path)

    def _fixed(self, code: str, layout: StructLayout, name: str, path: str) -> Any:
        value = self._walk.peek(code, path)
        meaning = meaning_of(layout.declared, name, value)
        self._walk.add(_SIZES[code], path, KINDS[code], value, meaning)
        return value

    def _length(self, field: FieldLayout, layout: StructLayout, path: str) -> int | None:
        """Read a length or a count; None for null, which is a fault if it is forbidden."""
        walk, position = self._walk, self._walk.position
        word = "count" if field.array else "length"
        if layout.encoding.compact:
            length = walk.unsigned(path, kind=f"{word}, unsigned varint of n + 1") - 1
        else:
            code = length_code(field, layout.encoding)
            length = walk.number(code, path, kind=f"{word}, {KINDS[code]}")
        part = walk.parts[-1]
        if length == -1:
            walk.parts[-1] = part._replace(value=None, meaning=self._meaning(field, layout, None))
            if not field.nullable:
                walk.fault(
                    path, "a value expected, null found: this field cannot be null", position
                )
            return None
        if length < 0:
            raise UnreadableBytes(position, path, f"a {word} cannot be {length}")
        walk.parts[-1] = part._replace(value=length, meaning=self._meaning(field, layout, length))
        self._check(field, layout, path, position, length)
        return length

    def _meaning(self, field: FieldLayout, layout: StructLayout, length: int | None) -> str:
        if field.array and isinstance(field.kind, StructLayout):
            words = meaning_of(layout.declared, field.name, length)
            each = f"each: {sentence_of(field.kind.declared)}"
            return f"{words} {each}" if words else each
        if field.array or not length:
            return meaning_of(layout.declared, field.name, length)
        return ""

    def _check(
        self, field: FieldLayout, layout: StructLayout, path: str, position: int, length: int
    ) -> None:
        """Compare a length or count with the bytes left, before it is used."""
        left = self._walk.left
        if not field.array:
            if length > left:
                text = f"a length of {length} with {counted_bytes(left)} left"
                raise UnreadableBytes(position, path, text)
            return
        least = self._least(field, layout)
        # If few elements are missing, read the others: they are worth more than an early end.
        if length * least > left and (length > left or length > _FEW):
            text = (
                f"a count of {length}, of at least {counted_bytes(least)} each, "
                f"with {counted_bytes(left)} left"
            )
            raise UnreadableBytes(position, path, text)

    def _least(self, field: FieldLayout, layout: StructLayout) -> int:
        """The minimum size of an array element."""
        if isinstance(field.kind, StructLayout):
            return field.kind.least_bytes if self._tags else 1
        if isinstance(field.kind, Fixed):
            return _SIZES[field.kind.code]
        if layout.encoding.compact:
            return 1
        return _SIZES[length_code(element(field), layout.encoding)]

    def _array(self, field: FieldLayout, layout: StructLayout, path: str) -> Any:
        count = self._length(field, layout, path)
        if count is None:
            return None
        one = element(field)
        return [self._field(one, layout, f"{path}[{index}]") for index in range(count)]

    def _sized(self, field: FieldLayout, layout: StructLayout, path: str) -> Any:
        walk = self._walk
        length = self._length(field, layout, path)
        if length is None:
            return None
        if isinstance(field.kind, Text):
            value = walk.data[walk.position : walk.position + length].decode("utf-8", "replace")
            return walk.text(length, path, meaning_of(layout.declared, field.name, value))
        data = memoryview(walk.data)[walk.position : walk.position + length]
        content = self._contents.known.get((layout.declared, field.name))
        if isinstance(field.kind, RecordSet):
            content = content or self._contents.records
        if content is None:
            walk.bytes(length, path, "bytes", meaning_of(layout.declared, field.name, None))
            return bytes(data)
        inner = walk.within(length)
        content(inner, path)
        walk.leave(inner, path, "not understood")
        return data if isinstance(field.kind, RecordSet) else bytes(data)

    def _tagged(self, layout: StructLayout, path: str, values: dict[str, Any]) -> Any:
        walk = self._walk
        known = {field.tag: field for field in layout.tagged}
        unknown: dict[int, bytes] = {}
        where = path + "tagged fields"
        count = walk.unsigned(where, kind="count, unsigned varint")
        last = -1
        for _ in range(count):
            at = walk.position
            tag = walk.unsigned(where, kind="tag, unsigned varint")
            field = known.get(tag)
            name = path + (f"tag {tag}" if field is None else field.name)
            walk.parts[-1] = walk.parts[-1]._replace(path=name)
            if tag <= last:
                walk.fault(name, f"a tag above {last} expected: tags are unique, and ascend", at)
            last = tag
            at = walk.position
            size = walk.unsigned(name, kind="size, unsigned varint")
            if size > walk.left:
                text = f"a size of {size} with {counted_bytes(walk.left)} left"
                raise UnreadableBytes(at, name, text)
            inner = walk.within(size)
            if field is None:
                unknown[tag] = walk.data[walk.position : inner.end]
                inner.rest(
                    name, "a tagged field that this version does not declare; readers keep it"
                )
            else:
                self._tagged_field(inner, field, layout, (name, values))
            walk.leave(inner, name, "not understood")
        return unknown or None

    def _tagged_field(
        self, inner: Walk, field: FieldLayout, layout: StructLayout, to: tuple[str, dict[str, Any]]
    ) -> None:
        name, values = to
        reader = FieldReader(inner, self._contents, tags=self._tags)
        try:
            values[field.name] = reader._field(field, layout, name)
        except UnreadableBytes as broken:
            inner.faults.append(Fault(broken.position, broken.path, broken.text))
            return
        if inner.left:
            inner.fault(name, f"the tagged field should end here; {counted_bytes(inner.left)} more")


_SIZES = {"b": 1, "B": 1, "?": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
_FEW = 64
"""The number of elements that are read even if not all can be present."""
