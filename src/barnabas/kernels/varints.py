"""Varints for the kernels that are not compiled; `varints.pxd` is the same for those that are.

Each reads from data[position:end] and gives whether that is bad, the position behind it, and its
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
