"""Buffers for decoded data: writable, with undefined contents.

If pyarrow is imported they come from its pool, which keeps pages that the system's allocator would
return: 4 times faster for values of 1 KiB. A broker does not need that, and returns memory at once.
"""

import contextlib
import mmap
import sys
from collections.abc import Callable

Allocate = Callable[[int], memoryview]

_WORTH_POOLING = 4096
"""Bytes from which Arrow's pool is quicker than Python's own."""
_WORTH_MAPPING = 1 << 20
"""Bytes from which a buffer is pages of its own, which go back to the system with it."""


def allocator() -> Allocate:
    """A function that allocates a view of a size in bytes."""
    return _pooled if hasattr(sys.modules.get("pyarrow"), "allocate_buffer") else fresh


def fresh(size: int) -> memoryview:
    """A buffer of zeros. Of a large one only the pages that are written to take memory."""
    if size < _WORTH_MAPPING:
        return memoryview(bytearray(size))
    return memoryview(_mapped(size))


def scattered(size: int) -> memoryview:
    """A buffer of zeros for random access.

    A large one uses huge pages if Linux has them: each costs one page fault, and needs no walk
    through the tables of small pages.
    """
    if size < _WORTH_MAPPING or not hasattr(mmap, "MADV_HUGEPAGE"):
        return fresh(size)
    mapped = _mapped(size)
    with contextlib.suppress(OSError):  # a kernel without them
        mapped.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(mapped)


def _mapped(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _pooled(size: int) -> memoryview:
    if size < _WORTH_POOLING:
        return memoryview(bytearray(size))
    return memoryview(sys.modules["pyarrow"].allocate_buffer(size)).cast("B")
