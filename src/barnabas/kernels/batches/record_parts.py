"""Parts of a magic 2 record for the kernels that are not compiled; `record_parts.pxd` is the same for others.

Every length is compared with what remains of the record before it is used. Source: KIP-98.
"""

from barnabas.kernels import layout
from barnabas.kernels.buffers.varints import raw, varint, varlong
from barnabas.types import Buffer


def parts(data: Buffer, position: int, end: int) -> tuple[int, int, int, int, int, int, int, int]:
    """What is between the attributes and the headers of a record that ends at `end`.

    Gives 0 or a negative code, the position behind it, the deltas of time and offset, where key and
    value are and their lengths, doubled and odd where null, as they are stored.
    """
    bad, position, time = varlong(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0, 0, 0, 0, 0, 0
    bad, position, delta = varint(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0, 0, 0, 0, 0, 0
    bad, position, key_length = raw(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0, 0, 0, 0, 0, 0
    key_at = position
    if key_length & 1 == 0:
        if key_length >> 1 > end - position:
            return layout.BAD_KEY_LENGTH, 0, 0, 0, 0, 0, 0, 0
        position += key_length >> 1
    bad, position, value_length = raw(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0, 0, 0, 0, 0, 0
    value_at = position
    if value_length & 1 == 0:
        if value_length >> 1 > end - position:
            return layout.BAD_VALUE_LENGTH, 0, 0, 0, 0, 0, 0, 0
        position += value_length >> 1
    return 0, position, time, delta, key_at, key_length, value_at, value_length


def header_count(data: Buffer, position: int, end: int) -> tuple[int, int, int]:
    """0 or a negative code, the position behind the number of a record's headers, and that."""
    bad, position, number = raw(data, position, end)
    if bad:
        return layout.BAD_VARINT, 0, 0
    if number & 1 or number >> 1 > end - position:
        return layout.BAD_HEADER_COUNT, 0, 0
    return 0, position, number >> 1
