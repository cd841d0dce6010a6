"""Copies between buffers for the kernels that are not compiled; `copies.pxd` is the same for the others."""

from barnabas.types import Buffer


def copy(target: bytearray | memoryview, to: int, data: Buffer, start: int, length: int) -> None:
    """Copy what the caller has compared with both ends. Compiled, bytes behind it may change too."""
    target[to : to + length] = data[start : start + length]
