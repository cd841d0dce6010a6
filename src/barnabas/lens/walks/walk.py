"""Walk: bytes read one field after the other; each leaves a part that says where it was."""

from collections.abc import Callable
from struct import calcsize, unpack_from
from typing import Self

from barnabas.lens.walks.part import MASK, MASKED, Fault, Inside, Part, Value
from barnabas.wire.tagged import Malformed, read_varint

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
"""The codes of the struct module by the names that specifications use."""

_MAX_SHIFT = 63


class Broken(Exception):
    """Nothing can be read beyond here."""

    def __init__(self, position: int, path: str, text: str) -> None:
        self.position = position
        self.path = path
        self.text = text
        super().__init__(text)


class Walk:
    """Reads `data` from `position` to `end`. `order` is that of bytes in numbers: > is Kafka's."""

    def __init__(self, data: bytes, position: int = 0, end: int | None = None) -> None:
        self.data = data
        self.position = position
        self.end = len(data) if end is None else end
        self.order = ">"
        self.parts: list[Part] = []
        self.faults: list[Fault] = []

    @property
    def left(self) -> int:
        """How many bytes are still to be read."""
        return self.end - self.position

    def within(self, size: int) -> Self:
        """A walk over the next `size` bytes, with the same parts and faults; see `leave`."""
        inner = type(self)(self.data, self.position, min(self.end, self.position + size))
        inner.order, inner.parts, inner.faults = self.order, self.parts, self.faults
        return inner

    def leave(self, inner: "Walk", path: str, meaning: str) -> None:
        """Go on behind what `inner` was given; what it has not read is a part of that meaning."""
        inner.rest(path, meaning)
        self.position = inner.end

    def add(
        self, size: int, path: str, kind: str, value: Value, meaning: str = "",
        inside: Inside | None = None,
    ) -> None:  # fmt: skip
        """Pass over `size` bytes as one part."""
        start, self.position = self.position, self.position + size
        self.parts.append(Part(start, self.position, path, kind, value, meaning, inside))

    def fault(self, path: str, text: str, position: int | None = None, guess: str = "") -> None:
        """Name a mistake that does not keep anybody from reading on."""
        at = self.position if position is None else position
        self.faults.append(Fault(at, path, text, guess))

    def rest(self, path: str, meaning: str) -> None:
        """Pass over all that neither this walk nor one within it has read."""
        if self.parts:
            self.position = max(self.position, self.parts[-1].end)
        if self.left > 0:
            data = self.data[self.position : self.end]
            self.add(len(data), path, "bytes", data, meaning)

    def need(self, size: int, path: str) -> None:
        """Make sure that `size` bytes are left.

        Raises:
            Broken: they are not.
        """
        if size > self.left:
            text = f"{counted_bytes(size)} expected, {self.left} left"
            raise Broken(self.position, path, text)

    def peek(self, code: str, path: str) -> int | float | bytes:
        """The number at the position, which stays."""
        self.need(calcsize(">" + code), path)
        found: int | float | bytes = unpack_from(self.order + code, self.data, self.position)[0]
        return found

    def number(self, code: str, path: str, meaning: str = "", kind: str = "") -> int:
        """A number of fixed size."""
        value = self.peek(code, path)
        assert isinstance(value, int)
        self.add(calcsize(">" + code), path, kind or KINDS[code], value, meaning)
        return value

    def unsigned(self, path: str, meaning: str = "", kind: str = "unsigned varint") -> int:
        """An unsigned varint of at most 32 bits."""
        value, end = 0, self.end + 1
        try:
            value, end = read_varint(self.data, self.position)
        except Malformed as failure:
            raise Broken(self.position, path, f"{failure} expected") from None
        except IndexError:
            pass  # It runs over the end of all, as it may over the end of this walk.
        if end > self.end:
            text = f"the {kind} does not end in the {counted_bytes(self.left)} left"
            raise Broken(self.position, path, text)
        self.add(end - self.position, path, kind, value, meaning)
        return value

    def signed(self, path: str, meaning: str = "", *, bits: int = 32, zigzag: bool = True) -> int:
        """A varint of a record: numbers of small magnitude are short, by zigzag."""
        raw = shift = 0
        at = self.position
        kind = "varint" if bits == 32 else "varlong"
        while True:
            if at >= self.end:
                text = f"the {kind} does not end in the {counted_bytes(self.left)} left"
                raise Broken(self.position, path, text)
            byte = self.data[at]
            at += 1
            raw |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > min(bits, _MAX_SHIFT):
                text = f"a {kind} of at most {(bits + 6) // 7} bytes expected"
                raise Broken(self.position, path, text)
        value = (raw >> 1) ^ -(raw & 1) if zigzag else raw
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            text = f"a {kind} of at most {bits} bits expected"
            raise Broken(self.position, path, text)
        self.add(at - self.position, path, kind, value, meaning)
        return value

    def bytes(self, size: int, path: str, kind: str = "bytes", meaning: str = "") -> bytes:
        """`size` bytes as they are; none leave no part."""
        self.need(size, path)
        data = self.data[self.position : self.position + size]
        if size:
            self.add(size, path, kind, data, meaning)
        return data

    def mask(self, size: int, path: str, meaning: str) -> None:
        """Pass over `size` bytes that nobody is to see."""
        if size:
            self.add(size, path, MASKED, MASK, meaning)

    def text(self, size: int, path: str, meaning: str = "") -> str:
        """`size` bytes of UTF-8; what is none of it is a fault and shown with marks."""
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
"""Reads what a field of bytes holds, by a walk over just these and the path of the field."""
