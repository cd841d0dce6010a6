"""Generate the source of a decoder from a layout."""

from functools import cache
from struct import Struct, calcsize
from typing import Any

from barnabas.wire import charges
from barnabas.wire.layout import FieldLayout, StructLayout, element, length_code
from barnabas.wire.schema import Blob, Fixed, RecordSet, Text
from barnabas.wire.source import FunctionSource
from barnabas.wire.tagged import (
    MalformedField,
    bad_length,
    read_unknown,
    read_varint,
    too_many,
    too_much,
)

MOST_BYTES = 1 << 32
"""What a message may take of memory (see `charges`), unless its reader is given less.

A frame of elements of a byte or two would else become objects of a hundred times its size.
"""

FEW = 17
_COPIED_BELOW = 65536


@cache
def unpacker(code: str, count: int) -> Any:
    """Reads `count` values of one code."""
    return Struct(f">{count}{code}").unpack_from


@cache
def unpackers(code: str) -> tuple[Any, ...]:
    """`unpacker` for each count below FEW."""
    return tuple(Struct(f">{count}{code}").unpack_from for count in range(FEW))


class Reading:
    """Writes the function `decode(data, pos=0, spare=MOST_BYTES)` for one layout."""

    def __init__(self, layout: StructLayout) -> None:
        self.source = FunctionSource(f"def decode(data, pos=0, spare={MOST_BYTES}):")
        self.source.names |= {
            "new": object.__new__,
            "read_unknown": read_unknown,
            "read_varint": read_varint,
            "bad_length": bad_length,
            "too_many": too_many,
            "too_much": too_much,
            "MalformedField": MalformedField,
        }
        self._run: list[tuple[str, str, str]] = []
        with self.source.block("try:"):
            self.source.line("end = len(data)")
            if layout.has_records():
                self.source.line("data = memoryview(data)")
            else:
                self.source.line(f"if end < {_COPIED_BELOW}: data = bytes(data)")
            self._new("o0", layout)
            self._fields(layout, "o0", "")
            self.source.line("return o0, pos")
        with self.source.block("except FAILURES as failure:"):
            self.source.line("raise explain(failure) from None")

    def _new(self, target: str, layout: StructLayout) -> None:
        name = self.source.bind("C", layout.declared)
        self.source.line(f"{target} = new({name})")

    def _flush(self) -> None:
        """Read the fields of the present run with one call."""
        run, self._run = self._run, []
        if not run:
            return
        fields = tuple((path, code) for code, _, path in run)
        if len(run) == 1 and run[0][0] == "B":
            self.source.line(f"{run[0][1]} = data[pos]; pos += 1", *fields)
            return
        codes = ">" + "".join(code for code, _, _ in run)
        unpack = self.source.bind("U", Struct(codes).unpack_from, codes)
        targets = ", ".join(target for _, target, _ in run)
        comma = "," if len(run) == 1 else ""
        self.source.line(
            f"{targets}{comma} = {unpack}(data, pos); pos += {calcsize(codes)}", *fields
        )

    def _fields(self, layout: StructLayout, target: str, path: str) -> None:
        """Read all fields of a struct into the object called `target`."""
        for field in layout.fields:
            self._one(field, f"{target}.{field.name}", layout, path + field.name)
        count = f"n{self.source.number()}"
        if layout.encoding.compact:
            self._run.append(("B", count, path + "tagged fields"))
        self._flush()
        self._defaults(layout, target)
        if layout.encoding.compact:
            with self.source.block(f"if {count}:"):
                self._tagged(layout, target, count, path)

    def _one(self, field: FieldLayout, target: str, layout: StructLayout, path: str) -> None:
        if (code := field.run_code) is not None:
            self._run.append((code, target, path))
        else:
            self._value(field, target, layout, path)

    def _defaults(self, layout: StructLayout, target: str) -> None:
        for field in (*layout.tagged, *layout.absent):
            if field.factory is list:
                value = "[]"
            elif field.factory is not None:
                value = self.source.bind("F", field.factory) + "()"
            else:
                value = repr(field.default)
            self.source.line(f"{target}.{field.name} = {value}")
        self.source.line(f"{target}.unknown_tags = None")

    def _tagged(self, layout: StructLayout, target: str, count: str, path: str) -> None:
        source, number = self.source, self.source.number()
        here, tag, stop = (path + "tagged fields", "B"), f"t{number}", f"e{number}"
        self._long(count, here)
        self._spend(count, charges.LEAST_ELEMENT, path + "tagged fields")
        if not layout.tagged:
            read = f"read_unknown(data, pos, {count})"
            source.line(f"begun = pos; {target}.unknown_tags, pos = {read}", here)
            self._charge("pos - begun", path + "tagged fields")
            return
        unknown = f"u{number}"
        source.line(f"{unknown} = {{}}")
        with source.block(f"for _ in range({count}):"):
            source.line(f"{tag}, pos = read_varint(data, pos)", here)
            source.line("size, pos = read_varint(data, pos)", here)
            source.line(f"{stop} = pos + size")
            source.line(f"if {stop} > end: raise bad_length(size, end - pos)", here)
            branch = "if"
            for field in layout.tagged:
                at = path + field.name
                with source.block(f"{branch} {tag} == {field.tag}:"):
                    self._one(field, f"{target}.{field.name}", layout, at)
                    self._flush()
                    wrong = f'raise MalformedField(f"a tagged field that ends at byte {{{stop}}}")'
                    source.line(f"if pos != {stop}: {wrong}", (at, "B"))
                branch = "elif"
            with source.block("else:"):
                self._charge("size", path + "tagged fields")
                source.line(f"{unknown}[{tag}] = bytes(data[pos:{stop}]); pos = {stop}", here)
        source.line(f"{target}.unknown_tags = {unknown} or None")

    def _long(self, length: str, at: tuple[str, str]) -> None:
        self.source.line(f"if {length} > 127: {length}, pos = read_varint(data, pos - 1)", at)

    def _value(self, field: FieldLayout, target: str, layout: StructLayout, path: str) -> None:
        """Read one field of variable size."""
        if isinstance(field.kind, StructLayout) and not field.array:
            self._single(field, field.kind, target, path)
            return
        length = f"n{self.source.number()}"
        at = (path, "B")
        if layout.encoding.compact:
            self._run.append(("B", length, path))
            self._flush()
            self._long(length, at)
            self.source.line(f"{length} -= 1")
        else:
            self._run.append((length_code(field, layout.encoding), length, path))
            self._flush()
        if field.nullable:
            with self.source.block(f"if {length} == -1:"):
                self.source.line(f"{target} = None")
            with self.source.block("else:"):
                self._content(field, target, layout, length, path)
        else:
            self._content(field, target, layout, length, path)

    def _single(self, field: FieldLayout, kind: StructLayout, target: str, path: str) -> None:
        inner = f"o{self.source.number()}"
        if not field.nullable:
            self._new(f"{target} = {inner}", kind)
            self._fields(kind, inner, path + ".")
            return
        marker = f"n{self.source.number()}"
        self._run.append(("b", marker, path))
        self._flush()
        with self.source.block(f"if {marker} < 0:"):
            self.source.line(f"{target} = None")
        with self.source.block("else:"):
            self._charge(str(charges.of_struct(kind)), path)
            self._new(f"{target} = {inner}", kind)
            self._fields(kind, inner, path + ".")

    def _content(
        self, field: FieldLayout, target: str, layout: StructLayout, length: str, path: str
    ) -> None:
        """Read what stands after a length that is not null."""
        cost = charges.of_element(field) if field.array else 0
        if not field.array:
            self._bytes(field.kind, target, length, path)
        elif isinstance(field.kind, Fixed):
            code = field.kind.code
            self._stop(f"{length} * {calcsize('>' + code)}", length, path)
            self._spend(length, cost, path)
            few = self.source.bind("A", unpackers(code), code)
            self.source.names["unpacker"] = unpacker
            read = f"({few}[{length}] if {length} < {FEW} else unpacker({code!r}, {length}))"
            if code == "16s":
                read = self.source.bind("X", Struct(">16s").iter_unpack, "uuids")
                self.source.line(f"{target} = [v for v, in {read}(data[pos:stop])]; pos = stop")
            else:
                self.source.line(f"{target} = list({read}(data, pos)); pos = stop")
        elif isinstance(field.kind, StructLayout):
            self._structs(field.kind, target, length, cost, path)
        else:
            self._limit(length, 1 if layout.encoding.compact else 2, cost, path)
            self._texts(field, target, layout, length, path)

    def _stop(self, size: str, length: str, path: str) -> None:
        self.source.line(f"stop = pos + {size}")
        wrong = f"raise bad_length({length}, end - pos)"
        self.source.line(f"if not pos <= stop <= end: {wrong}", (path, "B"))

    def _limit(self, length: str, least: int, cost: int, path: str) -> None:
        wrong = f"raise bad_length({length}, end - pos)"
        self.source.line(f"if not 0 <= {length} * {least} <= end - pos: {wrong}", (path, "B"))
        self._spend(length, cost, path)

    def _spend(self, count: str, cost: int, path: str) -> None:
        """Charge elements that cost so many bytes each."""
        self.source.line(f"spare -= {count} * {cost}")
        self.source.line(f"if spare < 0: raise too_many({count}, {cost}, spare)", (path, "B"))

    def _charge(self, size: str, path: str) -> None:
        """Charge the bytes of one value."""
        self.source.line(f"spare -= {size}")
        self.source.line(f"if spare < 0: raise too_much({size}, spare)", (path, "B"))

    def _bytes(self, kind: object, target: str, length: str, path: str) -> None:
        self._stop(length, length, path)
        match kind:
            case Text():
                self._text(target, length, path)
            case Blob():
                self._charge(length, path)
                self.source.line(f"{target} = bytes(data[pos:stop])")
            case RecordSet():
                self.source.line(f"{target} = data[pos:stop]")
            case _:
                raise AssertionError(kind)
        self.source.line("pos = stop")

    def _text(self, target: str, length: str, path: str) -> None:
        read = f'{target} = text = str(data[pos:stop], "utf-8")'
        wide = f"{length} * {charges.WIDEST_CHARACTER}"
        with self.source.block(f"if {length} > {charges.LONG_TEXT}:"):
            self._charge(wide, path)
            self.source.line(read, (path, "B"))
        with self.source.block("else:"):
            self.source.line(read, (path, "B"))
            self._charge(f"({length} if text.isascii() else {wide})", path)

    def _texts(
        self, field: FieldLayout, target: str, layout: StructLayout, length: str, path: str
    ) -> None:
        number = self.source.number()
        item = element(field)
        self.source.line(f"{target} = a{number} = []")
        with self.source.block(f"for i{number} in range({length}):"):
            self._value(item, f"v{number}", layout, f"{path}[{{i{number}}}]")
            self.source.line(f"a{number}.append(v{number})")

    def _structs(self, kind: StructLayout, target: str, length: str, cost: int, path: str) -> None:
        number = self.source.number()
        item = f"o{number}"
        self._limit(length, kind.least_bytes, cost, path)
        self.source.line(f"{target} = a{number} = []")
        loop = f"for i{number} in range({length}):"
        codes = kind.run_codes
        if codes is None:
            with self.source.block(loop):
                self._element(kind, item, number, path)
            return
        size = calcsize(">" + codes) + kind.encoding.compact
        self.source.line(f"stop = pos + {length} * {size}")
        if kind.encoding.compact:
            plain = f"if not any(data[pos + {size - 1}:stop:{size}]):"
            with self.source.block(plain):
                self._fixed(kind, item, number, codes + "x")
            with self.source.block("else:"), self.source.block(loop):
                self._element(kind, item, number, path)
        else:
            self._fixed(kind, item, number, codes)

    def _element(self, kind: StructLayout, item: str, number: int, path: str) -> None:
        self._new(item, kind)
        self._fields(kind, item, f"{path}[{{i{number}}}].")
        self.source.line(f"a{number}.append({item})")

    def _fixed(self, kind: StructLayout, item: str, number: int, codes: str) -> None:
        """Read an array whose elements all have one size, and which is there."""
        names = [field.name for field in kind.fields]
        values = ", ".join(f"v{index}" for index in range(len(names)))
        comma = "," if len(names) == 1 else ""
        unpack = self.source.bind("X", Struct(">" + codes).iter_unpack, codes)
        with self.source.block(f"for {values}{comma} in {unpack}(data[pos:stop]):"):
            self._new(item, kind)
            for index, name in enumerate(names):
                self.source.line(f"{item}.{name} = v{index}")
            self._defaults(kind, item)
            self.source.line(f"a{number}.append({item})")
        self.source.line("pos = stop")
