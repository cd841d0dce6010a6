"""PayloadSum: what two streams of payloads have in common if they are the same. Pure."""

import sys
from array import array
from operator import sub
from typing import NamedTuple

from barnabas.records.checksums import crc32c
from barnabas.records.columns.columns import BytesColumn


class PayloadSum(NamedTuple):
    """How many, the CRC32C of all their bytes, that of their lengths (int32, little-endian).

    The same in however many pieces they are added.
    """

    number: int = 0
    data: int = 0
    lengths: int = 0

    def add(self, column: BytesColumn, first: int, last: int) -> "PayloadSum":
        """With the payloads [first, last) of a column behind."""
        ends = column.ends[first : last + 1]
        lengths = array("i", map(sub, ends[1:], ends[:-1]))
        if sys.byteorder == "big":
            lengths.byteswap()
        return PayloadSum(
            self.number + last - first,
            crc32c(column.data[ends[0] : ends[-1]], self.data),
            crc32c(memoryview(lengths).cast("B"), self.lengths),
        )
