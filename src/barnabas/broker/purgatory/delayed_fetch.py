"""DelayedFetch: when a long poll is answered."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol

from barnabas.protocol.fetch import PartitionData

Row = tuple[str, bytes, PartitionData]
"""What was read of a partition, behind the name and the id of its topic."""


class FetchCompletion(Protocol):
    """Reads again and answers."""

    def __call__(self, *, must: bool) -> bool:
        """Whether it answered: it may find that not all that arrived can be sent, unless it `must`."""
        ...


class DelayedFetch:
    """A fetch that waits for bytes, and the five cases in which it is answered.

    Case A: no partition was asked for,
    Case B: a partition has an error, its reader's log diverges, or another replica is nearer,
    Case C: at least `min_bytes` can be sent,
    Case D: a partition it waits for is gone,
    Case E: its time is over.

    A, B and C are looked at before it waits (`is_due`); C and D while it waits (`happened`); E is the
    purgatory's. What arrives is counted, not read again, until the count says that C may hold.
    """

    __slots__ = ("_is_gone", "_missing", "_on_finish")

    def __init__(self, missing: int, on_finish: FetchCompletion) -> None:
        """`missing` are the bytes that are too few by now."""
        self._missing = missing
        self._on_finish = on_finish
        self._is_gone = False

    def happened(self, key: Hashable, amount: int) -> bool:
        """`amount` bytes were written to the partition `key`; negative: it is gone."""
        del key
        self._missing -= amount
        self._is_gone = self._is_gone or amount < 0  # Case D.
        return self._missing <= 0 or self._is_gone  # Case C.

    def finish(self, *, is_late: bool) -> bool:
        """Read again and answer."""
        return self._on_finish(must=is_late or self._is_gone)


def is_due(fetched: Sequence[Row], min_bytes: int) -> bool:
    """Whether a fetch need not wait."""
    if not fetched:
        return True  # Case A.
    readable = 0
    for _, _, one in fetched:
        if one.error_code or one.diverging_epoch is not None or one.preferred_read_replica >= 0:
            return True  # Case B.
        if one.records is not None:
            readable += len(one.records)
    return readable >= min_bytes  # Case C.


def readable_bytes(fetched: Iterable[Row]) -> int:
    """Bytes of records that would be sent."""
    return sum(len(one.records or b"") for _, _, one in fetched)
