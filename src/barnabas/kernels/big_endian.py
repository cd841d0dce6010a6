"""Big-endian numbers for the kernels that are not compiled; `big_endian.pxd` is the same for the others.

Each reads at a position whose bytes the caller has found to be there.
"""

from struct import Struct

from barnabas.types import Buffer

_INT16 = Struct(">h")
_INT32 = Struct(">i")
_UINT32 = Struct(">I")
_INT64 = Struct(">q")


def int16(data: Buffer, at: int) -> int:
    """Two bytes."""
    value: int = _INT16.unpack_from(data, at)[0]
    return value


def int32(data: Buffer, at: int) -> int:
    """Four bytes."""
    value: int = _INT32.unpack_from(data, at)[0]
    return value


def uint32(data: Buffer, at: int) -> int:
    """Four bytes without a sign."""
    value: int = _UINT32.unpack_from(data, at)[0]
    return value


def int64(data: Buffer, at: int) -> int:
    """Eight bytes."""
    value: int = _INT64.unpack_from(data, at)[0]
    return value


# Compiled, those of bytes need no view of them, which takes 0.1 us to make.
int16_of = int16
int32_of = int32
int64_of = int64
