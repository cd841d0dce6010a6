"""Cached arrays of ascending numbers for the kernels."""

from array import array
from functools import lru_cache

_FEWEST, _MOST_KEPT = 1 << 10, 1 << 16


def ascending(kind: str, count: int) -> memoryview:
    """0 to `count` - 1, as an array of `kind`. It is shared, so callers must not change it."""
    if count > _MOST_KEPT:
        return memoryview(array(kind, range(count)))
    return _kept(kind, max(_FEWEST, 1 << count.bit_length()))[:count]


@lru_cache(maxsize=16)
def _kept(kind: str, room: int) -> memoryview:
    return memoryview(array(kind, range(room)))
