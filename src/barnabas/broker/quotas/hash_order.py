"""The order of Java's hash maps, in which Kafka lists some results and tools print them.

Source: Java's String.hashCode, AbstractMap.hashCode and HashMap.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from barnabas.kernels.columns.partitioning import java_hash

_BITS = 2**32 - 1

USUAL_TABLE = 16
"""The places of a map that was made before anybody knew how many items there would be."""

_One = TypeVar("_One")


def hash_of_text(text: str) -> int:
    """The hash of a string."""
    return java_hash(text.encode("utf-16-be", "surrogatepass"))


def hash_of_entity(parts: Mapping[str, str | None]) -> int:
    """The hash of an entity that has quotas, by its parts; a default has no name."""
    hashes = (
        hash_of_text(kind) ^ (hash_of_text(name) if name else 0) for kind, name in parts.items()
    )
    return (31 + sum(hashes)) & _BITS


def in_hash_order(
    items: Iterable[_One], hash_of: Callable[[_One], int], *, table: int = 1
) -> list[_One]:
    """The items as a map lists them; where two are in one place, the first to come.

    `table`: how many places the map has at least; it has a third more than there are items.
    """
    items = list(items)
    while 4 * len(items) > 3 * table:
        table *= 2

    def place(item: _One) -> int:
        found = hash_of(item)
        return (found ^ found >> 16) & (table - 1)

    return sorted(items, key=place)
