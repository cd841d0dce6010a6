"""RotatedReads: fetches in which each partition has at least its first batch whole.

Such readers name the partitions in the same order for ever. So that the last ones get their turn though
their limit is too small, a read begins with another one each time. Of thousands some hundreds give
something, as each has to be converted while all others wait.
"""

from collections.abc import Sequence
from typing import Protocol

from barnabas.broker.replicas.fetch_rows import Fetched, Read

_MOST_AT_ONCE = 256


class _Reader(Protocol):
    def __call__(
        self, reads: Sequence[Read], max_bytes: int, /, *, each_whole: bool = ...
    ) -> list[Fetched]: ...


class RotatedReads:
    """Of all readers of a broker. `read` is that of its `ReplicaManager`."""

    __slots__ = ("_read", "_turn")

    def __init__(self, read: _Reader) -> None:
        self._read = read
        self._turn = 0

    def read(self, reads: Sequence[Read], max_bytes: int) -> list[Fetched]:
        """Read partitions until `max_bytes` are planned; what was read, in the order of `reads`."""
        if not reads:
            return []
        first = self._turn % len(reads)
        turned = [*reads[first:], *reads[:first]]
        fetched: list[Fetched] = []
        for at in range(0, len(turned), _MOST_AT_ONCE):
            part = turned[at : at + _MOST_AT_ONCE]
            part_fetched = self._read(part, max_bytes, each_whole=True)
            if any(one.data.records for one in part_fetched):
                max_bytes = 0
            fetched += part_fetched
        self._turn += sum(bool(one.data.records) for one in fetched)
        return fetched[len(reads) - first :] + fetched[: len(reads) - first]
