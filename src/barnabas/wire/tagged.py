"""Unsigned varints and the tagged fields at the end of flexible structs (KIP-482).

Tagged fields that a declaration does not know are kept as bytes under their tag and written back.
"""

from collections.abc import Mapping

from barnabas.errors import RemoteProtocolError
from barnabas.types import Buffer

_MAX_SHIFT = 28
_MAX_LAST_BYTE = 0x0F


class MalformedField(RemoteProtocolError):
    """What a decoder found wrong, before it is known where; `Codec.decode` adds that."""


def bad_length(length: int, left: int) -> MalformedField:
    """What to raise for a length (or a number of elements) that cannot be."""
    if length < 0:
        return MalformedField("a value, not null" if length == -1 else f"a length, not {length}")
    return MalformedField(f"a length that {left} more bytes can hold, not {length}")


class TooMuchMemory(MalformedField):
    """Nothing is wrong but what a message would take of memory: `count` times `cost`, with `left` bytes."""

    def __init__(self, count: int, cost: int, left: int) -> None:
        super().__init__()
        self.details = count, cost, left


def too_many(count: int, cost: int, spare: int) -> TooMuchMemory:
    """What to raise for `count` elements of `cost` bytes that take a message over its limit by `-spare`."""
    return TooMuchMemory(count, cost, count * cost + spare)


def too_much(size: int, spare: int) -> TooMuchMemory:
    """The same for one value of `size` bytes."""
    return TooMuchMemory(size, 1, size + spare)


def read_varint(data: Buffer, position: int) -> tuple[int, int]:
    """An unsigned varint of at most 32 bits, and the position after it.

    Raises:
        IndexError: the data ends inside.
        MalformedField: it has more than 32 bits.
    """
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if shift == _MAX_SHIFT and byte > _MAX_LAST_BYTE:
                raise MalformedField("an unsigned varint of at most 32 bits")
            return value, position
        if shift == _MAX_SHIFT:
            raise MalformedField("an unsigned varint of at most 5 bytes")
        shift += 7


def read_unknown(data: Buffer, position: int, count: int) -> tuple[dict[int, bytes], int]:
    """Tagged fields of a struct that knows none, and the position after them.

    Raises:
        IndexError: the data ends inside.
        MalformedField: a size runs past the data.
    """
    fields = {}
    for _ in range(count):
        tag, position = read_varint(data, position)
        size, position = read_varint(data, position)
        if size > len(data) - position:
            raise bad_length(size, len(data) - position)
        fields[tag] = bytes(data[position : position + size])
        position += size
    return fields, position


def varint(value: int) -> bytes:
    """`value` (0 to 2**32 - 1) as an unsigned varint."""
    if value < 0x80:
        return ONE_BYTE[value]
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    if value < 0x200000:
        return bytes((value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


ONE_BYTE = tuple(bytes((value,)) for value in range(0x80))
"""The varints of one byte."""


def tagged_section(fields: Mapping[int, Buffer]) -> bytes:
    """The count, then each field as tag, size and bytes, in order of their tags."""
    parts: list[Buffer] = [varint(len(fields))]
    for tag in sorted(fields):
        parts += (varint(tag), varint(len(fields[tag])), fields[tag])
    return b"".join(parts)
