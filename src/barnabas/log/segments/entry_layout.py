"""Index entries between their bytes in a file and two columns of numbers, all at once.

A look-up bisects a column; taking entries apart one by one would cost more than the search.
"""

import sys
from array import array
from typing import NamedTuple

from barnabas.types import Buffer

_WORD = 4
_SWAPPED = sys.byteorder == "little"
"""Entries are big-endian."""


class Columns(NamedTuple):
    """The first and the second numbers of some entries, in order."""

    first: "array[int]"
    second: "array[int]"


class EntryLayout(NamedTuple):
    """Entries of an int32 or (`wide`) int64 and an int32."""

    wide: bool

    @property
    def size(self) -> int:
        """Bytes of one entry."""
        return 3 * _WORD if self.wide else 2 * _WORD

    def no_entries(self) -> Columns:
        """Columns to append to."""
        return Columns(array("q" if self.wide else "i"), array("i"))

    def decode(self, data: Buffer) -> Columns:
        """The columns of whole entries."""
        words = array("i")
        words.frombytes(data)
        if not self.wide:
            return Columns(_turned(words[0::2]), _turned(words[1::2]))
        pairs = array("i", bytes(2 * _WORD * (len(words) // 3)))
        pairs[0::2] = words[0::3]
        pairs[1::2] = words[1::3]
        return Columns(_turned(array("q", pairs.tobytes())), _turned(words[2::3]))

    def encode(self, columns: Columns) -> bytes:
        """The bytes of entries, concatenated."""
        first, second = _turned(columns.first[:]), _turned(columns.second[:])
        words = array("i", bytes(self.size * len(first)))
        if self.wide:
            pairs = array("i", first.tobytes())
            words[0::3] = pairs[0::2]
            words[1::3] = pairs[1::2]
            words[2::3] = second
        else:
            words[0::2] = first
            words[1::2] = second
        return words.tobytes()


def _turned(numbers: "array[int]") -> "array[int]":
    """The same array, its numbers between big-endian and what the machine uses."""
    if _SWAPPED:
        numbers.byteswap()
    return numbers
