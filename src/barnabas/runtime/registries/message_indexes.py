"""The path of a Protocol Buffers message in its file, as written before a value.

Source: Confluent's wire format.
"""

from typing import Final

_MOST_INDEXES: Final = 64
"""Messages within messages."""


def message_indexes(raw: bytes, at: int) -> tuple[tuple[int, ...], int]:
    """The way to a message, and where it ends: the first message of the file is (0,).

    Each number is the place of a message in the file, then within the message before.

    Raises:
        ValueError: the bytes are not such a way.
    """
    if raw[at : at + 1] == b"\0":
        return (0,), at + 1
    count, at = _number(raw, at)
    if not 0 < count <= _MOST_INDEXES:
        raise ValueError(f"{count} message indexes, 1 to {_MOST_INDEXES} are possible")
    found = []
    for _ in range(count):
        index, at = _number(raw, at)
        found.append(index)
    return tuple(found), at


def _number(raw: bytes, at: int) -> tuple[int, int]:
    """A number of variable length with its sign in the lowest bit."""
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(raw):
            raise ValueError("the value ends within its message indexes")
        value |= (raw[at] & 0x7F) << shift
        at += 1
        if raw[at - 1] < 0x80:
            return (value >> 1) ^ -(value & 1), at
    raise ValueError("a message index is longer than 5 bytes")
