"""Buffers for what is decoded: writable, of bytes that may be anything.

Where pyarrow is installed they come from its pool, which keeps pages that the system's allocator
would give back: 4 times faster at values of 1 KiB. pyarrow is imported on first use, so a broker takes
`plain` ones.
"""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

Allocate = Callable[[int], memoryview]

_WORTH_POOLING = 4096
"""Bytes from which Arrow's pool is quicker than Python's own."""


@cache
def allocator() -> Allocate:
    """A function from a size in bytes to a view of so many."""
    if find_spec("pyarrow") is None:
        return plain
    import pyarrow as pa

    def pooled(size: int) -> memoryview:
        if size < _WORTH_POOLING:
            return memoryview(bytearray(size))
        return memoryview(pa.allocate_buffer(size)).cast("B")

    return pooled


def plain(size: int) -> memoryview:
    """A view of so many bytes, of Python's own."""
    return memoryview(bytearray(size))
