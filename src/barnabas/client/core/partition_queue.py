"""The batches of one partition in order: open, waiting, in flight; their sequences. No I/O.

Users' threads put batches into `closed`; all else but `open` belongs to the loop's thread, which
moves them on to `waiting`.

Invariants: the numbers of `waiting` increase, and with them the times they were made; every batch
in flight has a lower number than every waiting one that was never sent; a batch that is tried again
goes out alone, so a retry never overtakes nor is overtaken.
"""

from collections import deque
from typing import Final

from barnabas.client.core.idempotence import MAX_EPOCH, add_sequence
from barnabas.client.core.producer_batch import NO_SEQUENCE, ProducerBatch
from barnabas.records.batch import stamp_producer
from barnabas.types import TopicPartition

_NO_PRODUCER: Final = -1


class PartitionQueue:
    """What waits for one partition. `open` belongs to the users' threads until it is closed."""

    __slots__ = (
        "_next_number",
        "_renew",
        "_sequence",
        "closed",
        "epoch",
        "in_flight",
        "open",
        "producer_id",
        "waiting",
        "where",
    )

    def __init__(self, where: TopicPartition) -> None:
        self.where = where
        self.open: ProducerBatch | None = None
        self.closed: deque[ProducerBatch] = deque()
        self.waiting: deque[ProducerBatch] = deque()
        self.in_flight: list[ProducerBatch] = []
        self.producer_id = _NO_PRODUCER
        self.epoch = -1
        self._sequence = 0
        self._renew = False
        self._next_number = 0

    def __bool__(self) -> bool:
        return self.open is not None or bool(self.closed or self.waiting or self.in_flight)

    def next_number(self) -> tuple[int]:
        """The number of the next new batch."""
        self._next_number += 1
        return (self._next_number,)

    def gather(self) -> bool:
        """Take over what users' threads have closed; returns whether anything waits."""
        while self.closed:
            self.waiting.append(self.closed.popleft())
        return bool(self.waiting)

    def sendable(self, now: float, at_most: int) -> bool:
        """Whether the first waiting batch may go out now, with up to `at_most` in flight."""
        if not self.waiting:
            return False
        head = self.waiting[0]
        if head.attempts or self._renew:
            return not self.in_flight and now >= head.not_before
        return len(self.in_flight) < at_most

    def take(self, producer_id: int, first_epoch: int) -> ProducerBatch:
        """The first waiting batch, numbered for an idempotent producer (id -1: for none)."""
        if producer_id != self.producer_id or first_epoch > self.epoch:
            self.producer_id, self.epoch = producer_id, first_epoch
            self._begin_again()
        elif self._renew:
            self.epoch += 1
            self._begin_again()
        batch = self.waiting.popleft()
        if producer_id != _NO_PRODUCER and batch.sequence == NO_SEQUENCE:
            batch.epoch, batch.sequence = self.epoch, self._sequence
            self._sequence = add_sequence(self._sequence, batch.count)
            if batch.payload is not None:  # It was built before it had its place in the line.
                stamp_producer(batch.payload, producer_id, batch.epoch, batch.sequence)
        self.in_flight.append(batch)
        return batch

    @property
    def exhausted(self) -> bool:
        """Whether the next renewal needs a new producer id, since epochs end at 32767."""
        return self._renew and self.epoch >= MAX_EPOCH

    def is_first(self, batch: ProducerBatch) -> bool:
        """Whether no earlier batch is unresolved."""
        if self.waiting and self.waiting[0].number < batch.number:
            return False
        return all(other.number >= batch.number for other in self.in_flight)

    def settled(self, batch: ProducerBatch) -> None:
        """A batch in flight has its outcome."""
        self.in_flight.remove(batch)

    def again(self, batch: ProducerBatch, not_before: float) -> None:
        """A batch in flight must be tried again, not before a time."""
        self.in_flight.remove(batch)
        batch.attempts += 1
        batch.not_before = not_before
        self._insert(batch)

    def replace(self, batch: ProducerBatch, parts: list[ProducerBatch]) -> None:
        """A batch in flight becomes two smaller ones with the same sequences."""
        self.in_flight.remove(batch)
        sequence = batch.sequence
        for part in parts:
            if sequence != NO_SEQUENCE:
                part.epoch, part.sequence = batch.epoch, sequence
                assert part.payload is not None, "a part of a split batch is built"
                stamp_producer(part.payload, self.producer_id, part.epoch, sequence)
                sequence = add_sequence(sequence, part.count)
            part.attempts = batch.attempts + 1
            self._insert(part)

    def renew(self) -> None:
        """Have everything unresolved go out under a higher epoch, once nothing is in flight."""
        if self.producer_id != _NO_PRODUCER:
            self._renew = True

    def retract(self) -> list[ProducerBatch]:
        """Take out the waiting batches that were never sent."""
        gone = [batch for batch in self.waiting if batch.sequence == NO_SEQUENCE]
        self.waiting = deque(batch for batch in self.waiting if batch.sequence != NO_SEQUENCE)
        return gone

    def expire(self, before: float) -> list[ProducerBatch]:
        """Take out the waiting batches that were made before a time."""
        gone = []
        while self.waiting and self.waiting[0].created < before:
            gone.append(self.waiting.popleft())
        return gone

    def _insert(self, batch: ProducerBatch) -> None:
        at = 0
        while at < len(self.waiting) and self.waiting[at].number < batch.number:
            at += 1
        self.waiting.insert(at, batch)

    def _begin_again(self) -> None:
        self._renew = False
        self._sequence = 0
        for batch in self.waiting:
            if batch.sequence == NO_SEQUENCE:
                break
            assert batch.payload is not None, "a batch with a sequence is built"
            batch.epoch, batch.sequence = self.epoch, self._sequence
            stamp_producer(batch.payload, self.producer_id, self.epoch, self._sequence)
            self._sequence = add_sequence(self._sequence, batch.count)
