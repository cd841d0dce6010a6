"""Arrays of a response that are encoded while they grow.

As objects what a long reply names takes ten times its bytes. So whoever makes one gives its elements to a
`GrowingArray` as they come; when there are some, `StructWriter.put` makes bytes of them, and the objects go.
`StructWriter.write` writes the message around such arrays: the same bytes as its codec.
"""

from collections.abc import Callable
from functools import cache, cached_property
from struct import pack
from typing import Any, Generic, TypeVar, cast

from barnabas.wire.compiler import Codec
from barnabas.wire.layout import FieldLayout, StructLayout, layout_of, length_code
from barnabas.wire.schema import declaration_of
from barnabas.wire.tagged import varint

Element = TypeVar("Element")

FEW = 16
"""Elements that are kept as objects before they are written."""


class GrowingArray(Generic[Element]):
    """An array of structs that grows. `parts` are its first `written` elements, `size` bytes, in order."""

    __slots__ = ("few", "items", "parts", "written")

    def __init__(self, few: int = FEW) -> None:
        """`few` elements may wait to be written together: 1 where each may be large."""
        self.few = few
        self.items: list[Element] = []
        self.parts: list[bytes] = []
        self.written = 0

    def add(self, element: Element) -> None:
        """Add one after the others."""
        self.items.append(element)

    def __len__(self) -> int:
        return self.written + len(self.items)

    @property
    def is_due(self) -> bool:
        """Whether enough wait to be written."""
        return len(self.items) > self.few

    def done(self) -> list[Element]:
        """What a message takes for the array: a list if nothing was written, else this, for `write`."""
        return self.items if not self.written else cast("list[Element]", self)


class _PartCodec(Codec[Any]):
    """A codec of some fields of a struct."""

    def __init__(self, layout: StructLayout, version: int) -> None:
        self.version = version
        self._layout = layout
        self._title = f"<{layout.declared.__name__} v{version} %s>"


class StructWriter:
    """Writes structs of one layout that may hold arrays that have grown. They have no records."""

    def __init__(self, layout: StructLayout, version: int) -> None:
        self.layout = layout
        self._version = version
        self._runs: dict[tuple[int, int], Callable[[Any], bytes]] = {}

    @staticmethod
    def of(declared: type, version: int) -> "StructWriter":
        """What writes a message in a version, made once."""
        return _writer_of(declared, version)

    def inside(self, element: type) -> "StructWriter":
        """What writes the elements of the array of `element`, however deep that is.

        Raises:
            LookupError: there is no such array.
        """
        for _, _, writer in self._arrays:
            if writer.layout.declared is element:
                return writer
            try:
                return writer.inside(element)
            except LookupError:
                continue
        raise LookupError(f"{self.layout.declared.__name__} has no array of {element.__name__}")

    def put(self, grown: GrowingArray[Any]) -> int:
        """Write the elements that wait; the bytes that were made. Those of arrays in them are taken over."""
        parts: list[bytes] = []
        made = self.put_all(grown.items, parts)
        grown.written += len(grown.items)
        grown.items = []
        grown.parts += parts
        return made

    def write(self, message: object) -> list[bytes]:
        """A whole message."""
        parts: list[bytes] = []
        self.put_all([message], parts)
        return parts

    @cached_property
    def _whole(self) -> Callable[[Any], bytes]:
        return _PartCodec(self.layout, self._version).encode

    @cached_property
    def _arrays(self) -> tuple[tuple[int, FieldLayout, "StructWriter"], ...]:
        return tuple(
            (index, field, StructWriter(field.kind, self._version))
            for index, field in enumerate(self.layout.fields)
            if field.array and isinstance(field.kind, StructLayout)
        )

    def put_all(self, items: list[Any], parts: list[bytes]) -> int:
        """Write structs behind what is in `parts`; the bytes that were made."""
        whole, may_hold = self._whole, bool(self._arrays)
        made = 0
        fresh: list[bytes] = []
        for item in items:
            if may_hold and self.holds_parts(item):
                made += self._put_around(item, parts, fresh)
            else:
                fresh.append(whole(item))
        return made + _join(fresh, parts)

    def holds_parts(self, item: Any) -> bool:
        """Whether an array in a struct, however deep, has been written in part."""
        return any(writer.any_parts(getattr(item, field.name)) for _, field, writer in self._arrays)

    def any_parts(self, array: list[Any] | GrowingArray[Any] | None) -> bool:
        """Whether that is so of an array of these structs, or in it."""
        if isinstance(array, GrowingArray):
            return True
        return bool(self._arrays) and any(map(self.holds_parts, array or ()))

    def _put_around(self, item: Any, parts: list[bytes], fresh: list[bytes]) -> int:
        """A struct that holds parts, behind what is in `parts` and `fresh`; leaves `fresh` open."""
        begin = made = 0
        for index, field, writer in self._arrays:
            array = getattr(item, field.name)
            if not writer.any_parts(array):
                continue
            fresh.append(self._run(begin, index)(item))
            fresh.append(self._length(field, len(array)))
            made += _join(fresh, parts)
            if type(array) is GrowingArray:
                parts += array.parts
                array = array.items
            made += writer.put_all(array, parts)
            begin = index + 1
        fresh.append(self._run(begin, len(self.layout.fields))(item))
        return made

    def _length(self, field: FieldLayout, count: int) -> bytes:
        encoding = self.layout.encoding
        if encoding.compact:
            return varint(count + 1)
        return pack(">" + length_code(field, encoding), count)

    def _run(self, begin: int, end: int) -> Callable[[Any], bytes]:
        """What writes some fields, with what is after the last one if they are the last."""
        run = self._runs.get((begin, end))
        if run is None:
            run = self._runs[begin, end] = self._make_run(begin, end)
        return run

    def _make_run(self, begin: int, end: int) -> Callable[[Any], bytes]:
        layout = self.layout
        is_last = end == len(layout.fields)
        tagged = layout.tagged if is_last else ()
        some = layout._replace(fields=layout.fields[begin:end], tagged=tagged)
        encode = _PartCodec(some, self._version).encode
        if is_last or not layout.encoding.compact:
            return encode
        # Without the number of tagged fields, which are after all others.
        return lambda item: encode(item)[:-1]


def _join(fresh: list[bytes], parts: list[bytes]) -> int:
    """Move what was made to `parts` as one; its bytes."""
    if not fresh:
        return 0
    joined = b"".join(fresh)
    fresh.clear()
    parts.append(joined)
    return len(joined)


@cache
def _writer_of(declared: Any, version: int) -> StructWriter:
    return StructWriter(
        layout_of(declared, version, declaration_of(declared).encoding(version)), version
    )
