"""DelayedFetch: a Fetch that waits for records, and when it completes."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol

from barnabas.protocol.fetch import PartitionData

Row = tuple[str, bytes, PartitionData]
"""Topic name, topic id, and what was read of a partition."""


class FetchCompletion(Protocol):
    """Reads again and responds."""

    def __call__(self, *, must: bool) -> bool:
        """Whether it responded: unless it `must`, it does not if what arrived cannot all be sent."""
        ...


class DelayedFetch:
    """A fetch that waits for bytes, until one of five cases.

    Case A: no partition was requested,
    Case B: a partition has an error, its reader's log diverges, or another replica is nearer,
    Case C: at least `min_bytes` can be sent,
    Case D: a partition it waits for is gone,
    Case E: its time is over.

    A, B and C are checked before it waits (`is_due`), C and D while it waits (`happened`); the purgatory
    handles E. Arriving bytes are counted, and read only when the count says that C may hold.
    """

    __slots__ = ("_is_gone", "_missing", "_on_finish")

    def __init__(self, missing: int, on_finish: FetchCompletion) -> None:
        """`missing`: how many more bytes it needs."""
        self._missing = missing
        self._on_finish = on_finish
        self._is_gone = False

    def happened(self, key: Hashable, amount: int) -> bool:
        """Note that `amount` bytes were written to the partition `key`; negative: it is gone."""
        del key
        self._missing -= amount
        self._is_gone = self._is_gone or amount < 0  # Case D.
        return self._missing <= 0 or self._is_gone  # Case C.

    def finish(self, *, is_late: bool) -> bool:
        """Read again and respond."""
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
    """The bytes of records that a response would contain."""
    return sum(len(one.records or b"") for _, _, one in fetched)
