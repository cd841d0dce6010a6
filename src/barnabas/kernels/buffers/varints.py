"""Varints for the kernels that are not compiled; `varints.pxd` is the same for those that are.

What reads takes data[position:end] and gives whether that is bad, the position behind it, and its
value, the last two 0 where it is bad. Source: KIP-98; the encoding is that of Protocol Buffers.
"""

from barnabas.types import Buffer


def raw(data: Buffer, position: int, end: int) -> tuple[bool, int, int]:
    """A varint of 32 bits, without a sign; of a zigzag one, the lowest bit tells that it is negative."""
    return _read(data, position, end, 28, 15)


def varint(data: Buffer, position: int, end: int) -> tuple[bool, int, int]:
    """A zigzag varint of 32 bits."""
    bad, position, whole = _read(data, position, end, 28, 15)
    return bad, position, (whole >> 1) ^ -(whole & 1)


def varlong(data: Buffer, position: int, end: int) -> tuple[bool, int, int]:
    """A zigzag varint of 64 bits."""
    bad, position, whole = _read(data, position, end, 63, 1)
    return bad, position, (whole >> 1) ^ -(whole & 1)


def _read(
    data: Buffer, position: int, end: int, last_shift: int, largest: int
) -> tuple[bool, int, int]:
    """`largest` is what the byte may be that is shifted by `last_shift`."""
    whole = shift = 0
    while position < end:
        byte = data[position]
        position += 1
        if shift == last_shift and byte > largest:
            break
        whole |= (byte & 127) << shift
        if byte < 128:
            return False, position, whole
        shift += 7
    return True, 0, 0


def wrapped(value: int) -> int:
    """The 64 bits of a sum, as C has them; sums of garbage wrap and do not fail."""
    return ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def varint_size(value: int) -> int:
    """Bytes of a zigzag varint."""
    whole = value << 1 if value >= 0 else ~(value << 1)
    return max(1, (whole.bit_length() + 6) // 7)


def put_varint(target: bytearray | memoryview, at: int, value: int) -> int:
    """Write a zigzag varint; where the next byte goes, which may be past the end."""
    whole = value << 1 if value >= 0 else ~(value << 1)
    while whole >= 128 and at < len(target):
        target[at] = whole & 127 | 128
        at += 1
        whole >>= 7
    if at < len(target):
        target[at] = whole & 127
    return at + 1
