"""Walk: reads bytes field by field; each field leaves a part with its position."""

from collections.abc import Callable
from struct import calcsize, unpack_from
from typing import Self

from barnabas.lens.walks.part import MASK, MASKED, DecompressedPart, Fault, Part, Value
from barnabas.wire.tagged import MalformedField, read_varint

KINDS = {
    "b": "int8",
    "B": "uint8",
    "h": "int16",
    "H": "uint16",
    "i": "int32",
    "I": "uint32",
    "q": "int64",
    "d": "float64",
    "?": "bool",
    "16s": "uuid",
}
"""The codes of the struct module by the names in specifications."""

_MAX_SHIFT = 63


class UnreadableBytes(Exception):
    """Nothing can be read beyond this point."""

    def __init__(self, position: int, path: str, text: str) -> None:
        self.position = position
        self.path = path
        self.text = text
        super().__init__(text)


class Walk:
    """Reads `data` from `position` to `end`. `order` is the byte order; > is Kafka's."""

    def __init__(self, data: bytes, position: int = 0, end: int | None = None) -> None:
        self.data = data
        self.position = position
        self.end = len(data) if end is None else end
        self.order = ">"
        self.parts: list[Part] = []
        self.faults: list[Fault] = []

    @property
    def left(self) -> int:
        """The number of bytes left."""
        return self.end - self.position

    def within(self, size: int) -> Self:
        """A walk over the next `size` bytes, sharing parts and faults; see `leave`."""
        inner = type(self)(self.data, self.position, min(self.end, self.position + size))
        inner.order, inner.parts, inner.faults = self.order, self.parts, self.faults
        return inner

    def leave(self, inner: "Walk", path: str, meaning: str) -> None:
        """Continue after `inner`; its unread bytes become a part of that meaning."""
        inner.rest(path, meaning)
        self.position = inner.end

    def add(
        self, size: int, path: str, kind: str, value: Value, meaning: str = "",
        inside: DecompressedPart | None = None,
    ) -> None:  # fmt: skip
        """Skip `size` bytes as one part."""
        start, self.position = self.position, self.position + size
        self.parts.append(Part(start, self.position, path, kind, value, meaning, inside))

    def fault(self, path: str, text: str, position: int | None = None, guess: str = "") -> None:
        """Report a mistake that does not prevent further reading."""
        at = self.position if position is None else position
        self.faults.append(Fault(at, path, text, guess))

    def rest(self, path: str, meaning: str) -> None:
        """Skip all unread bytes of this walk and its inner ones."""
        if self.parts:
            self.position = max(self.position, self.parts[-1].end)
        if self.left > 0:
            data = self.data[self.position : self.end]
            self.add(len(data), path, "bytes", data, meaning)

    def need(self, size: int, path: str) -> None:
        """Check that `size` bytes are left.

        Raises:
            UnreadableBytes: fewer are left.
        """
        if size > self.left:
            text = f"{counted_bytes(size)} expected, {self.left} left"
            raise UnreadableBytes(self.position, path, text)

    def peek(self, code: str, path: str) -> int | float | bytes:
        """The number at the position, without consuming it."""
        self.need(calcsize(">" + code), path)
        found: int | float | bytes = unpack_from(self.order + code, self.data, self.position)[0]
        return found

    def number(self, code: str, path: str, meaning: str = "", kind: str = "") -> int:
        """Read a number of fixed size."""
        value = self.peek(code, path)
        assert isinstance(value, int)
        self.add(calcsize(">" + code), path, kind or KINDS[code], value, meaning)
        return value

    def unsigned(self, path: str, meaning: str = "", kind: str = "unsigned varint") -> int:
        """Read an unsigned varint of at most 32 bits."""
        value, end = 0, self.end + 1
        try:
            value, end = read_varint(self.data, self.position)
        except MalformedField as failure:
            raise UnreadableBytes(self.position, path, f"{failure} expected") from None
        except IndexError:
            pass  # It exceeds the end of all bytes, or of this walk.
        if end > self.end:
            text = f"the {kind} does not end in the {counted_bytes(self.left)} left"
            raise UnreadableBytes(self.position, path, text)
        self.add(end - self.position, path, kind, value, meaning)
        return value

    def signed(self, path: str, meaning: str = "", *, bits: int = 32, zigzag: bool = True) -> int:
        """Read a record's varint with zigzag: numbers of small magnitude are short."""
        raw = shift = 0
        at = self.position
        kind = "varint" if bits == 32 else "varlong"
        while True:
            if at >= self.end:
                text = f"the {kind} does not end in the {counted_bytes(self.left)} left"
                raise UnreadableBytes(self.position, path, text)
            byte = self.data[at]
            at += 1
            raw |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > min(bits, _MAX_SHIFT):
                text = f"a {kind} of at most {(bits + 6) // 7} bytes expected"
                raise UnreadableBytes(self.position, path, text)
        value = (raw >> 1) ^ -(raw & 1) if zigzag else raw
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            text = f"a {kind} of at most {bits} bits expected"
            raise UnreadableBytes(self.position, path, text)
        self.add(at - self.position, path, kind, value, meaning)
        return value

    def bytes(self, size: int, path: str, kind: str = "bytes", meaning: str = "") -> bytes:
        """Read `size` bytes; none leave no part."""
        self.need(size, path)
        data = self.data[self.position : self.position + size]
        if size:
            self.add(size, path, kind, data, meaning)
        return data

    def mask(self, size: int, path: str, meaning: str) -> None:
        """Skip `size` bytes and hide them."""
        if size:
            self.add(size, path, MASKED, MASK, meaning)

    def text(self, size: int, path: str, meaning: str = "") -> str:
        """Read `size` bytes of UTF-8; invalid ones are a fault, and shown as replacement characters."""
        self.need(size, path)
        data = self.data[self.position : self.position + size]
        try:
            value = data.decode()
        except UnicodeDecodeError as failure:
            wrong = data[failure.start : failure.start + 1].hex()
            at = self.position + failure.start
            self.fault(path, f"UTF-8 expected, found the byte 0x{wrong}", at)
            value = data.decode("utf-8", "backslashreplace")
        if size:
            self.add(size, path, "UTF-8", value, meaning)
        return value


def counted_bytes(count: int) -> str:
    """`1 byte`, `2 bytes`."""
    return "1 byte" if count == 1 else f"{count} bytes"


Content = Callable[[Walk, str], None]
"""Reads the contents of a bytes field, given a walk over it and the field's path."""
