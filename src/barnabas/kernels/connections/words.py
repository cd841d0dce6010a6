"""Bytes to compare and to fill in for kernels that are not compiled; `words.pxd` is the same for the others.

The caller has compared all places with both ends.
"""

from barnabas.types import Buffer


def same(data: Buffer, at: int, words: bytes, first: int, last: int) -> bool:
    """Whether `data` has `words[first:last]` at a place."""
    return bytes(data[at : at + last - first]) == words[first:last]


def filled(words: bytes, to: int, data: Buffer, at: int, size: int) -> bytes:
    """`words` with `size` bytes of `data` in place of its own."""
    return words[:to] + bytes(data[at : at + size]) + words[to + size :]


def numbered(
    words: bytes, to: int, data: Buffer, place: int, size: int, at: int, value: int
) -> bytes:
    """As `filled`, and with a number of eight bytes at `at`."""
    made = filled(words, to, data, place, size)
    return made[:at] + value.to_bytes(8, signed=True) + made[at + 8 :]
