"""Generate the source of an encoder from a layout."""

from functools import cache
from struct import Struct
from typing import Any

from barnabas.wire.layout import FieldLayout, StructLayout, element, length_code
from barnabas.wire.schema import Fixed, RecordSet, Text
from barnabas.wire.send import FileSlice, RecordData, Send
from barnabas.wire.source import FunctionSource
from barnabas.wire.tagged import ONE_BYTE, tagged_section, varint

FEW = 17
_COPIED_BELOW = 1024


@cache
def packer(code: str, count: int) -> Any:
    """Writes `count` values of one code."""
    return Struct(f">{count}{code}").pack


@cache
def packers(code: str) -> tuple[Any, ...]:
    """`packer` for each count below FEW."""
    return tuple(Struct(f">{count}{code}").pack for count in range(FEW))


def record_bytes(records: RecordData) -> int:
    """Bytes in all regions of a field of records."""
    if isinstance(records, FileSlice):
        return records.size
    if isinstance(records, bytes | bytearray | memoryview):
        return len(records)
    return sum(map(record_bytes, records))


def hand_over(records: RecordData, parts: list[Any], send: Send) -> None:
    """Add regions of records to `send`, behind the `parts` collected so far."""
    send.add(b"".join(parts))
    parts.clear()
    if isinstance(records, bytes | bytearray | memoryview | FileSlice):
        send.add(records)
        return
    for region in records:
        send.add(region)


class Writing:
    """Writes the function `encode(o0)`, or with records `write(o0, send)`, for one layout."""

    def __init__(self, layout: StructLayout) -> None:
        records = layout.has_records()
        self.source = FunctionSource("def write(o0, send):" if records else "def encode(o0):")
        self.source.names |= {
            "varint": varint,
            "ONE_BYTE": ONE_BYTE,
            "tagged_section": tagged_section,
            "BUFFERS": frozenset((bytes, bytearray, memoryview)),
            "record_bytes": record_bytes,
            "hand_over": hand_over,
            "packer": packer,
        }
        self._run: list[tuple[str, str, str]] = []
        self._append = "w"
        with self.source.block("try:"):
            self.source.line("parts = []; w = parts.append")
            self._fields(layout, "o0", "")
            self.source.line('send.add(b"".join(parts))' if records else 'return b"".join(parts)')
        with self.source.block("except FAILURES as failure:"):
            self.source.line("raise explain(failure) from failure")

    def _flush(self, *, pad: int = 0) -> None:
        """Write the fields of the present run, and `pad` zero bytes, with one call."""
        run, self._run = self._run, []
        self._pack(run, pad)

    def _pack(self, run: list[tuple[str, str, str]], pad: int = 0) -> None:
        if not run:
            if pad:
                self.source.line(f"{self._append}({bytes(pad)!r})")
            return
        codes = ">" + "".join(code for code, _, _ in run) + "x" * pad
        pack = self.source.bind("P", Struct(codes).pack, codes)
        values = ", ".join(value for _, value, _ in run)
        fields = tuple((path, code) for code, _, path in run)
        self.source.line(f"{self._append}({pack}({values}))", *fields)

    def _fields(self, layout: StructLayout, item: str, path: str) -> None:
        """Write all fields of the struct held by the variable `item`."""
        for field in layout.fields:
            self._one(field, f"{item}.{field.name}", layout, path + field.name)
        if not layout.encoding.compact:
            self._flush()
            return
        run, self._run = self._run, []
        there = [f"{item}.{field.name} {_differs(field)}" for field in layout.tagged]
        with self.source.block(f"if {' or '.join([f'{item}.unknown_tags', *there])}:"):
            self._pack(run)
            self._tagged(layout, item, there, path)
        with self.source.block("else:"):
            self._pack(run, 1)

    def _one(self, field: FieldLayout, value: str, layout: StructLayout, path: str) -> None:
        if (code := field.run_code) is not None:
            self._run.append((code, value, path))
        else:
            self._value(field, value, layout, path)

    def _tagged(self, layout: StructLayout, item: str, there: list[str], path: str) -> None:
        source = self.source
        tags, outer = f"t{source.number()}", self._append
        source.line(f"{tags} = dict({item}.unknown_tags or ())", (path + "tagged fields", "B"))
        for field, condition in zip(layout.tagged, there, strict=True):
            assert not isinstance(field.kind, RecordSet), "records cannot be a tagged field"
            at = path + field.name
            parts = f"p{source.number()}"
            self._append = f"{parts}.append"
            with source.block(f"if {condition}:"):
                source.line(f"{parts} = []")
                self._one(field, f"{item}.{field.name}", layout, at)
                self._flush()
                source.line(f'{tags}[{field.tag}] = b"".join({parts})')
        self._append = outer
        source.line(f"{outer}(tagged_section({tags}))", (path + "tagged fields", "B"))

    def _value(self, field: FieldLayout, value: str, layout: StructLayout, path: str) -> None:
        """Write one field of variable size."""
        number = self.source.number()
        if isinstance(field.kind, StructLayout) and not field.array:
            self._single(field, field.kind, value, number, path)
            return
        held, length = f"a{number}", f"n{number}"
        compact = layout.encoding.compact
        if field.nullable:
            self.source.line(f"{held} = {value}")
            with self.source.block(f"if {held} is None:"):
                self.source.line(f"{length} = {0 if compact else -1}; {held} = ()")
            with self.source.block("else:"):
                self._measure(field, held, held, length, layout, path)
        else:
            self._measure(field, value, held, length, layout, path)
        code = length_code(field, layout.encoding)
        self._length(length, code, path, compact=compact)
        self._content(field, held, length, layout, number, path)

    def _measure(
        self,
        field: FieldLayout,
        value: str,
        held: str,
        length: str,
        layout: StructLayout,
        path: str,
    ) -> None:
        encode = ".encode()" if isinstance(field.kind, Text) and not field.array else ""
        one = " + 1" if layout.encoding.compact else ""
        count = f"len({held})"
        if isinstance(field.kind, RecordSet):
            count = f"({count} if {held}.__class__ in BUFFERS else record_bytes({held}))"
        hold = "" if value == held and not encode else f"{held} = {value}{encode}; "
        self.source.line(f"{hold}{length} = {count}{one}", (path, "B"))

    def _length(self, length: str, code: str, path: str, *, compact: bool) -> None:
        if not compact:
            self._run.append((code, length, path))
            self._flush()
            return
        run, self._run = self._run, []
        if not run:
            short = f"ONE_BYTE[{length}] if {length} < 128 else varint({length})"
            self.source.line(f"{self._append}({short})", (path, "B"))
            return
        with self.source.block(f"if {length} < 128:"):
            self._pack([*run, ("B", length, path)])
        with self.source.block("else:"):
            self._pack(run)
            self.source.line(f"{self._append}(varint({length}))", (path, "B"))

    def _single(
        self, field: FieldLayout, kind: StructLayout, value: str, number: int, path: str
    ) -> None:
        item = f"o{number}"
        self.source.line(f"{item} = {value}")
        if not field.nullable:
            self._fields(kind, item, path + ".")
            return
        self._run.append(("b", f"-1 if {item} is None else 1", path))
        self._flush()
        with self.source.block(f"if {item} is not None:"):
            self._fields(kind, item, path + ".")

    def _content(
        self,
        field: FieldLayout,
        held: str,
        length: str,
        layout: StructLayout,
        number: int,
        path: str,
    ) -> None:
        """Write what stands after the length; `held` is empty for null."""
        source, append = self.source, self._append
        if not field.array:
            if isinstance(field.kind, RecordSet):
                small = f"{length} < {_COPIED_BELOW} and {held}.__class__ in BUFFERS"
                source.line(f"if {small}: {append}({held})")
                source.line(f"elif {held}: hand_over({held}, parts, send)", (path, "B"))
            else:
                source.line(f"{append}({held} or b'')" if field.nullable else f"{append}({held})")
        elif field.kind == Fixed("16s"):
            source.line(f"for v in {held}: {append}(v)")
        elif isinstance(field.kind, Fixed):
            code = field.kind.code
            few = source.bind("A", packers(code), code)
            count = f"len({held})"
            pack = f"({few}[{count}] if {count} < {FEW} else packer({code!r}, {count}))"
            source.line(f"if {held}: {append}({pack}(*{held}))", (path, code))
        elif isinstance(field.kind, StructLayout):
            with source.block(f"for o{number} in {held}:", (path, "B")):
                self._fields(field.kind, f"o{number}", f"{path}[{{i{number}}}].")
        else:
            item = element(field)
            with source.block(f"for o{number} in {held}:", (path, "B")):
                self._value(item, f"o{number}", layout, f"{path}[{{i{number}}}]")


def _differs(field: FieldLayout) -> str:
    """The condition under which a tagged field must be written."""
    default = field.make_default()
    return "is not None" if default is None else f"!= {default!r}"
