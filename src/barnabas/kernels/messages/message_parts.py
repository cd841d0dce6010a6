"""Messages of magic 0 and 1 for the kernels that are not compiled; `messages.pxd` is the same for the others.

Every length is compared with what remains before it is used. Source: seeds 002 and 003 "Message
format", KIP-31, KIP-32.
"""

from barnabas.kernels import layout
from barnabas.kernels.buffers.big_endian import int32
from barnabas.types import Buffer


def message_size(data: Buffer, position: int, end: int) -> int:
    """Bytes of the message at `position` with its 12 byte prefix.

    0: it is cut off by the end, or of another magic. Negative: its length is nonsense.
    """
    if end - position < 17:
        return 0
    magic = data[position + 16]
    if magic > 1:
        return 0
    length = int32(data, position + 8)
    if length < 14 + 8 * magic:
        return layout.BAD_MESSAGE_LENGTH
    if length > end - position - 12:
        return 0
    return length + 12


def places(data: Buffer, position: int, end: int) -> tuple[int, int, int, int, int]:
    """Where the key and the value of the whole message in [position, end) are.

    Gives 0 or a negative code, then where the key starts and its length, and so of the value. A null
    has a negative length.
    """
    key_at = position + 22 + 8 * data[position + 16]
    key_length = int32(data, key_at - 4)
    value_at = key_at + 4
    if key_length > 0:
        if key_length > end - value_at:
            return layout.BAD_KEY_LENGTH, 0, 0, 0, 0
        value_at += key_length
    value_length = int32(data, value_at - 4)
    if value_length > end - value_at:
        return layout.BAD_VALUE_LENGTH, 0, 0, 0, 0
    if value_at + max(value_length, 0) != end:
        return layout.MESSAGE_HAS_MORE, 0, 0, 0, 0
    return 0, key_at, key_length, value_at, value_length


def read(data: Buffer, position: int, end: int, magic: int) -> tuple[int, int, int, int, int]:
    """An uncompressed message of a magic, 0 or 1, as `places`.

    In the place of 0 is where the next message begins.
    """
    size = message_size(data, position, end)
    if size <= 0:
        return layout.BAD_MESSAGE_LENGTH, 0, 0, 0, 0
    if data[position + 17] & 7 != 0:
        return layout.NESTED, 0, 0, 0, 0
    if data[position + 16] != magic:
        return layout.NO_ROOM, 0, 0, 0, 0
    code, key_at, key_length, value_at, value_length = places(data, position, position + size)
    if code < 0:
        return code, 0, 0, 0, 0
    return position + size, key_at, key_length, value_at, value_length
