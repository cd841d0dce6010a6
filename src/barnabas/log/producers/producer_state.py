"""The state of a partition's idempotent producers: duplicates, gaps, epochs.

Source: KIP-98, KIP-360; Kafka 4's ProducerStateManager, ProducerStateEntry and ProducerAppendInfo.
"""

from collections.abc import Iterable
from typing import NamedTuple

from barnabas.errors import ErrorCode
from barnabas.log.append_results import AppendInfo
from barnabas.records.aborted_transaction import AbortedTransaction
from barnabas.records.batches.batch import CONTROL, TRANSACTIONAL, BatchHeader
from barnabas.records.batches.control import read_marker
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.types import NO_OFFSET, NO_PRODUCER_EPOCH, Buffer

MOST_PRODUCERS = 20_000
"""Of one partition. Where there are more, those that have not written for longest are forgotten before
their time: an id of its own for each batch costs its sender 100 bytes, and a partition 400."""

BATCHES_KEPT = 5
"""As many as a producer may have in flight: each of them can still be sent again."""

_SEQUENCES = 0x7FFFFFFF
_ACTIVE = -1


class AppendedBatch(NamedTuple):
    """A batch as its producer may send it again."""

    first_sequence: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_offset(self) -> int:
        """Offset of its first record."""
        return self.last_offset - self.offset_delta


def repeated(known: AppendedBatch, append_time: int, log_start: int) -> AppendInfo:
    """The response to a producer that sent a batch again."""
    time = append_time if append_time < 0 else known.timestamp
    return AppendInfo(known.first_offset, known.last_offset, time, log_start, duplicate=True)


class ProducerEntry:
    """One producer id. `batches` are its last ones in the current epoch, oldest first.

    Each is the fields of an `AppendedBatch` as a bare tuple: creating that for all batches is
    cheaper, and few are ever read. Invariant: `next_sequence` follows the last of them; 0 if there
    are none. `idle_since` is when `expire` first saw it idle, by the broker's clock in ms; -1: it
    has written since, or was loaded.
    """

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "ends",
        "epoch",
        "idle_since",
        "last_timestamp",
        "next_sequence",
        "producer_id",
        "transaction_start",
    )

    def __init__(self, producer_id: int) -> None:
        self.producer_id = producer_id
        self.epoch: int = NO_PRODUCER_EPOCH
        self.batches: list[tuple[int, int, int, int, int]] = []
        self.next_sequence = 0
        self.last_timestamp = -1
        self.idle_since = _ACTIVE
        self.coordinator_epoch = -1
        self.ends = 0
        """How many of its transactions have ended here since it is known."""
        self.transaction_start: int = NO_OFFSET
        """First offset of the open transaction; -1 if none is open."""

    @property
    def last(self) -> AppendedBatch | None:
        """Its last batch; None if it has none under this epoch."""
        return AppendedBatch(*self.batches[-1]) if self.batches else None

    def add(
        self, epoch: int, first_sequence: int, last_offset: int, delta: int, timestamp: int
    ) -> None:
        """Remember a batch, forget the oldest of more than five."""
        if epoch != self.epoch:
            self._begin(epoch)
        last_sequence = (first_sequence + delta) & _SEQUENCES if first_sequence >= 0 else -1
        batches = self.batches
        batches.append((first_sequence, last_sequence, last_offset, delta, timestamp))
        if len(batches) > BATCHES_KEPT:
            del batches[0]
        self.next_sequence = (last_sequence + 1) & _SEQUENCES
        self.last_timestamp = timestamp
        self.idle_since = _ACTIVE

    def recall(self, batch: BatchHeader) -> None:
        """Remember a batch that came just before the oldest one known; any other is passed over."""
        if (
            not self.batches
            or len(self.batches) == BATCHES_KEPT
            or batch.producer_epoch != self.epoch
        ):
            return
        if (batch.last_sequence + 1) & _SEQUENCES == self.batches[0][0]:
            delta = batch.last_offset_delta
            last = batch.base_offset + delta
            known = (batch.base_sequence, batch.last_sequence, last, delta, batch.max_timestamp)
            self.batches.insert(0, known)

    def find(self, first_sequence: int, last_sequence: int) -> AppendedBatch | None:
        """The batch of just these sequences, if it is one of the last."""
        for batch in self.batches:
            if batch[0] == first_sequence and batch[1] == last_sequence:
                return AppendedBatch(*batch)
        return None

    def end_transaction(self, batch: BatchHeader, coordinator_epoch: int) -> None:
        """Remember the marker that `batch` holds: the producer's transaction is over."""
        if batch.producer_epoch != self.epoch:
            self._begin(batch.producer_epoch)
        self.transaction_start = NO_OFFSET
        self.ends += 1
        self.coordinator_epoch = coordinator_epoch
        self.last_timestamp = batch.max_timestamp
        self.idle_since = _ACTIVE

    def _begin(self, epoch: int) -> None:
        self.epoch = epoch
        self.batches.clear()
        self.next_sequence = 0


class ProducerState:
    """All producers of one partition.

    Invariant: `open_transactions` has their first offsets by producer, the oldest first.
    """

    __slots__ = ("_entries", "open_transactions")

    def __init__(self) -> None:
        self._entries: dict[int, ProducerEntry] = {}
        self.open_transactions: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self) -> Iterable[ProducerEntry]:
        """Every producer known, in no order."""
        return self._entries.values()

    def restore(self, entries: Iterable[ProducerEntry]) -> None:
        """Replace all that is known by what a snapshot held."""
        self._entries = {entry.producer_id: entry for entry in entries}
        begun = [(one.transaction_start, one.producer_id) for one in self._entries.values()]
        self.open_transactions = {
            producer_id: start for start, producer_id in sorted(begun) if start >= 0
        }

    def is_in_transaction(self, producer_id: int, epoch: int) -> bool:
        """Whether a producer has an open transaction here, begun under this epoch."""
        entry = self._entries.get(producer_id)
        return entry is not None and entry.transaction_start >= 0 and entry.epoch == epoch

    def ends_of(self, producer_id: int) -> int:
        """How many transactions of a producer have ended here: another number means that one has."""
        entry = self._entries.get(producer_id)
        return entry.ends if entry is not None else 0

    def is_past(self, producer_id: int, epoch: int) -> bool:
        """Whether a producer is at a later epoch than this one."""
        entry = self._entries.get(producer_id)
        return entry is not None and entry.epoch > epoch

    def has_ended(self, producer_id: int, epoch: int) -> bool:
        """Whether a producer is at this epoch, or past it, and has no transaction open."""
        entry = self._entries.get(producer_id)
        return entry is not None and entry.transaction_start < 0 and entry.epoch >= epoch

    def next_of(self, producer_id: int, epoch: int, sequence: int) -> ProducerEntry | None:
        """The entry of a producer outside of transactions, if its next batch is this one."""
        entry = self._entries.get(producer_id)
        if (
            entry is not None
            and entry.next_sequence == sequence
            and entry.epoch == epoch
            and entry.transaction_start < 0
        ):
            return entry
        return None

    def check(self, batch: BatchHeader) -> AppendedBatch | None:
        """Check a client's batch: return the batch that it duplicates, or None to append it.

        Raises:
            RefusedRecords: INVALID_PRODUCER_EPOCH for an epoch before the newest,
                OUT_OF_ORDER_SEQUENCE_NUMBER for a sequence that does not follow, INVALID_TXN_STATE
                for a non-transactional batch while a transaction is open. An unknown producer id may
                start with any sequence: its state may have expired (KIP-360).
        """
        entry = self._entries.get(batch.producer_id)
        if entry is None:
            return None
        epoch = batch.producer_epoch
        sequence = batch.base_sequence
        inside = entry.transaction_start < 0 or batch.attributes & TRANSACTIONAL
        if sequence == entry.next_sequence and epoch == entry.epoch and inside:
            return None
        if entry.epoch == NO_PRODUCER_EPOCH:
            return None
        if epoch != entry.epoch:
            self._check_new_epoch(batch, entry)
        else:
            known = entry.find(sequence, batch.last_sequence)
            if known is not None:
                return known
            if sequence != entry.next_sequence:
                raise RefusedRecords(
                    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                    f"producer {batch.producer_id} sent sequence {sequence} in epoch {epoch},"
                    f" {entry.next_sequence} is next",
                )
        if not inside:
            raise RefusedRecords(
                ErrorCode.INVALID_TXN_STATE,
                f"producer {batch.producer_id} has a transaction open, and the batch is of none",
            )
        return None

    @staticmethod
    def _check_new_epoch(batch: BatchHeader, entry: ProducerEntry) -> None:
        if batch.producer_epoch < entry.epoch:
            raise RefusedRecords(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer {batch.producer_id} is at epoch {entry.epoch}, not"
                f" {batch.producer_epoch}",
            )
        if batch.base_sequence != 0:
            raise RefusedRecords(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {batch.producer_id} begins epoch {batch.producer_epoch} with sequence"
                f" {batch.base_sequence}",
            )

    def check_marker(
        self, producer_id: int, epoch: int, coordinator_epoch: int, *, bumped: bool
    ) -> None:
        """Whether a marker may be appended. `bumped`: its epoch must be a new one (KIP-1228).

        Raises:
            RefusedRecords: INVALID_PRODUCER_EPOCH for an epoch of before,
                TRANSACTION_COORDINATOR_FENCED for one of a coordinator of before.
        """
        entry = self._entries.get(producer_id)
        if entry is None:
            return
        if epoch < entry.epoch + bumped:
            raise RefusedRecords(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer {producer_id} is at epoch {entry.epoch}, and the marker's is {epoch}",
            )
        if coordinator_epoch < entry.coordinator_epoch:
            raise RefusedRecords(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"the coordinator is at epoch {entry.coordinator_epoch}, not {coordinator_epoch}",
            )

    def add(
        self, batch: BatchHeader, data: Buffer, base_offset: int, timestamp: int
    ) -> AbortedTransaction | None:
        """Remember a batch, records or a marker, that is appended at `base_offset`.

        Returns the transaction that it aborts, if it is a marker that does.
        """
        entry = self._entries.get(batch.producer_id)
        if entry is None:
            if len(self._entries) >= MOST_PRODUCERS:
                self._forget_some()
            entry = self._entries[batch.producer_id] = ProducerEntry(batch.producer_id)
        attributes = batch.attributes
        if attributes & CONTROL:
            return self._end(entry, batch, data, base_offset)
        delta = batch.last_offset_delta
        entry.add(batch.producer_epoch, batch.base_sequence, base_offset + delta, delta, timestamp)
        if attributes & TRANSACTIONAL and entry.transaction_start == NO_OFFSET:
            entry.transaction_start = self.open_transactions[batch.producer_id] = base_offset
        return None

    def _forget_some(self) -> None:
        """Forget the tenth of all that has written nothing for longest, and has no transaction open."""
        idle = [entry for entry in self._entries.values() if entry.transaction_start < 0]
        idle.sort(key=lambda entry: entry.batches[-1][2] if entry.batches else NO_OFFSET)
        for entry in idle[: MOST_PRODUCERS // 10]:
            del self._entries[entry.producer_id]

    def _end(
        self, entry: ProducerEntry, batch: BatchHeader, data: Buffer, offset: int
    ) -> AbortedTransaction | None:
        marker = read_marker(data)
        if marker is None:
            return None
        entry.end_transaction(batch, marker.coordinator_epoch)
        first = self.open_transactions.pop(batch.producer_id, None)
        if first is None or marker.committed:
            return None
        stable = next(iter(self.open_transactions.values()), offset + 1)
        return AbortedTransaction(batch.producer_id, first, offset, stable)

    def recall(self, batch: BatchHeader) -> None:
        """Remember a batch of a known producer that came before those known, the newest first."""
        entry = self._entries.get(batch.producer_id)
        if entry is not None and not batch.control:
            entry.recall(batch)

    def first_open_transaction(self) -> int | None:
        """Where the oldest open transaction starts: the last stable offset, if there is one."""
        return next(iter(self.open_transactions.values()), None)

    def expire(self, now_ms: int, expiration_ms: int) -> None:
        """Forget producers that wrote nothing for so long and have no open transaction.

        The time runs from the first call after their last batch, so neither record timestamps nor a
        clock that jumps can expire them: a producer that is forgotten while it waits for a response
        stores its batch twice. No file records when a producer was active: a loaded one has the
        whole time again.
        """
        for entry in list(self._entries.values()):
            if entry.transaction_start >= 0:
                continue
            if not 0 <= entry.idle_since <= now_ms:
                entry.idle_since = now_ms
            elif now_ms - entry.idle_since >= expiration_ms:
                del self._entries[entry.producer_id]

    def clear(self) -> None:
        """Forget all."""
        self._entries.clear()
        self.open_transactions.clear()
