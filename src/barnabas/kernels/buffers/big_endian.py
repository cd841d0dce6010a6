"""Big-endian numbers for the kernels that are not compiled; `big_endian.pxd` is the same for the others.

The caller has found that there are so many bytes.
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


def put(target: bytearray | memoryview, at: int, value: int, size: int) -> None:
    """Write the low `size` bytes of a number."""
    target[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size)


# Compiled, these need no view of bytes or a bytearray, which takes 0.1 us to make.
int16_of = int16
int32_of = int32
int64_of = int64
put_of = put
