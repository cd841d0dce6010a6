"""CRC32 for the kernels that are not compiled; `crc32.pxd` is the same for those that are."""

import zlib
from array import array

from barnabas.types import Buffer


def crc32(data: Buffer, at: int, end: int, _: "array[int]") -> int:
    """That of data[at:end]; the tables are for the compiled form."""
    return zlib.crc32(memoryview(data)[at:end])
