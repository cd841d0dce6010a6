"""PayloadSum: a checksum of a stream of payloads, for comparing two streams. Pure."""

import sys
from array import array
from operator import sub
from typing import NamedTuple

from barnabas.records.checksums import crc32c
from barnabas.records.columns.columns import BytesColumn


class PayloadSum(NamedTuple):
    """Number of payloads, CRC32C of all their bytes, and CRC32C of their lengths (int32, little-endian).

    How the stream is split does not matter.
    """

    number: int = 0
    data: int = 0
    lengths: int = 0

    def add(self, column: BytesColumn, first: int, last: int) -> "PayloadSum":
        """Return the sum with the payloads [first, last) of a column appended."""
        ends = column.ends[first : last + 1]
        lengths = array("i", map(sub, ends[1:], ends[:-1]))
        if sys.byteorder == "big":
            lengths.byteswap()
        return PayloadSum(
            self.number + last - first,
            crc32c(column.data[ends[0] : ends[-1]], self.data),
            crc32c(memoryview(lengths).cast("B"), self.lengths),
        )
