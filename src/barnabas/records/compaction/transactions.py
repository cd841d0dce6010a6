"""Transactions in a stretch of a log, as compaction needs them: which were aborted, which are gone.

Source: KIP-98; Kafka's CleanedTransactionMetadata and TransactionIndex.
"""

from collections import deque
from collections.abc import Iterable

from barnabas.kernels import layout
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.records.batches.batch import CONTROL, TRANSACTIONAL
from barnabas.records.batches.control import Marker, read_marker
from barnabas.records.compaction.whole_batches import WholeBatches

_WIDTH = layout.WIDTH


class AbortedTransactions:
    """Finds the aborted transactions of a log in one pass from its start.

    The same as a `.txnindex`, but from the batches: that index may be missing.
    """

    __slots__ = ("_open", "found")

    def __init__(self) -> None:
        self._open: dict[int, int] = {}
        self.found: list[AbortedTransaction] = []
        """In the order of their markers."""

    def is_open_before(self, offset: int) -> bool:
        """Whether a transaction that began before `offset` has not ended so far."""
        return any(first < offset for first in self._open.values())

    def add(self, batches: WholeBatches) -> None:
        """Go over the next batches."""
        if not batches.seen & (TRANSACTIONAL | CONTROL):
            return
        table = batches.table
        attributes = table[layout.ATTRIBUTES :: _WIDTH]
        for row, bits in enumerate(attributes):
            if not bits & (TRANSACTIONAL | CONTROL):
                continue
            at = row * _WIDTH
            producer = table[at + layout.PRODUCER_ID]
            if not bits & CONTROL:
                self._open.setdefault(producer, table[at + layout.BASE_OFFSET])
                continue
            marker = marker_of(batches, row)
            first = self._open.pop(producer, None) if marker else None
            if marker and first is not None and not marker.committed:
                last = table[at + layout.BASE_OFFSET]
                stable = min(self._open.values(), default=last + 1)
                self.found.append(AbortedTransaction(producer, first, last, stable))


class TransactionFilter:
    """Receives the transactional batches of a log in order, and decides which ones to remove.

    `kept` are the aborted transactions whose marker remains although their records are removed.
    """

    __slots__ = ("_aborted", "_committed", "_waiting", "kept")

    def __init__(self, aborted: Iterable[AbortedTransaction]) -> None:
        self._waiting = deque(sorted(aborted, key=lambda each: each.first_offset))
        self._committed: set[int] = set()
        self._aborted: dict[int, tuple[AbortedTransaction, bool]] = {}
        self.kept: list[AbortedTransaction] = []

    def is_aborted(self, batches: WholeBatches, row: int) -> bool:
        """Whether a batch of records belongs to an aborted transaction."""
        producer_id = batches.table[row * _WIDTH + layout.PRODUCER_ID]
        self._begin_up_to(batches.last_offset(row))
        known = self._aborted.get(producer_id)
        if known is None:
            self._committed.add(producer_id)
            return False
        self._aborted[producer_id] = (known[0], True)
        return True

    def ends_nothing(self, batches: WholeBatches, row: int) -> bool:
        """Whether all records of a control batch's transaction are gone.

        Control records that are no markers of transactions stay for ever.
        """
        at = row * _WIDTH
        if not batches.table[at + layout.COUNT]:
            return True  # emptied by an earlier compaction
        self._begin_up_to(batches.last_offset(row))
        marker = marker_of(batches, row)
        if marker is None:
            return False
        producer_id = batches.table[at + layout.PRODUCER_ID]
        if marker.committed:
            had_records = producer_id in self._committed
            self._committed.discard(producer_id)
            return not had_records
        known = self._aborted.pop(producer_id, None)
        if known is None or not known[1]:
            return True
        self.kept.append(known[0])
        return False

    def _begin_up_to(self, offset: int) -> None:
        while self._waiting and self._waiting[0].first_offset <= offset:
            begun = self._waiting.popleft()
            self._aborted.setdefault(begun.producer_id, (begun, False))


def marker_of(batches: WholeBatches, row: int) -> Marker | None:
    """The marker in a control batch; None for control records of other kinds, or none at all."""
    at = row * _WIDTH
    start = batches.table[at + layout.POSITION]
    if not batches.table[at + layout.COUNT]:
        return None
    return read_marker(memoryview(batches.data)[start : start + batches.table[at + layout.SIZE]])
