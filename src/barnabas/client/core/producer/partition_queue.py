"""The batches of one partition in order: open, waiting, sent, in flight. No I/O.

Users' threads put batches into `closed`. Everything else except `open` belongs to the loop's
thread. It moves them to `waiting` and, at the first attempt, to `sent`, where they stay until they
have their outcome. Those that a broker has now are `in_flight`.

Invariants: the numbers of `sent`, then of `waiting` increase, as do their creation times. A retried
batch is sent alone, so a retry never overtakes another batch, and is never overtaken.
"""

from collections import deque
from itertools import takewhile

from barnabas.client.core.producer.idempotence import MAX_EPOCH
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.client.core.producer.sequencing import Sequencing
from barnabas.types import TopicPartition


class PartitionQueue:
    """The queue of one partition. `open` belongs to the users' threads until it is closed.

    `renews`: see `Sequencing`. `leader`: node id and epoch of the last one used.
    """

    __slots__ = (
        "_next_number",
        "closed",
        "in_flight",
        "leader",
        "open",
        "sent",
        "waiting",
        "where",
    )

    def __init__(self, where: TopicPartition, *, renews: bool) -> None:
        self.where = where
        self.open: ProducerBatch | None = None
        self.closed: deque[ProducerBatch] = deque()
        self.waiting: deque[ProducerBatch] = deque()
        self.sent = Sequencing(renews=renews)
        self.in_flight: list[ProducerBatch] = []
        self.leader = (-1, -1)
        self._next_number = 0

    def __bool__(self) -> bool:
        return self.open is not None or bool(self.closed or self.waiting or self.sent.batches)

    def __len__(self) -> int:
        """The number of closed batches without an outcome."""
        return len(self.closed) + len(self.waiting) + len(self.sent.batches)

    def next_number(self) -> tuple[int]:
        """The number of the next new batch."""
        self._next_number += 1
        return (self._next_number,)

    def gather(self) -> bool:
        """Take over closed batches; return whether there is something to send."""
        while self.closed:
            self.waiting.append(self.closed.popleft())
        return bool(self.waiting) or self.has_retries

    @property
    def has_retries(self) -> bool:
        """Whether a sent batch must be sent again."""
        return len(self.sent.batches) > len(self.in_flight)

    def head(self) -> ProducerBatch:
        """The batch to send next; there is one."""
        return self.sent.head() if self.has_retries else self.waiting[0]

    def sendable(self, now: float, at_most: int) -> bool:
        """Whether it may be sent now, with up to `at_most` in flight."""
        if not self.in_flight:
            return now >= self.head().not_before
        if self.has_retries or self.sent.gap:
            return False
        return len(self.in_flight) < (at_most if self.sent.is_known(now) else 1)

    def take(self, producer_id: int, first_epoch: int) -> ProducerBatch:
        """Remove the head, numbered for an idempotent producer (id -1: for none).

        Batches sent under another id or earlier epoch keep those until they have their outcome.
        """
        sent = self.sent
        if (producer_id != sent.producer_id or first_epoch > sent.epoch) and (
            sent.ends_epoch or not sent.batches
        ):
            sent.begin(producer_id, first_epoch)
        elif sent.ends_epoch:
            sent.begin(producer_id, sent.epoch + 1)
        batch = self.head()
        if not self.has_retries:
            sent.add(self.waiting.popleft())
        self.in_flight.append(batch)
        return batch

    def is_exhausted(self, producer_id: int) -> bool:
        """Whether it needs another producer id, because epochs end at 32767."""
        sent = self.sent
        return sent.ends_epoch and sent.epoch >= MAX_EPOCH and sent.producer_id == producer_id

    def stored(self, batch: ProducerBatch, now: float) -> list[ProducerBatch]:
        """A batch in flight was stored; return those that are therefore stored, too."""
        self._landed(batch)
        return self.sent.stored(batch, now)

    def settled(self, batch: ProducerBatch) -> None:
        """A sent batch is stored, because a later one is."""
        self._landed(batch)
        self.sent.settled(batch)

    def given_up(self, batch: ProducerBatch) -> None:
        """A batch is never sent again."""
        if self.waiting and self.waiting[0] is batch:
            self.waiting.popleft()
            return
        self._landed(batch)
        self.sent.given_up(batch)

    def again(self, batch: ProducerBatch, not_before: float) -> None:
        """Retry a batch in flight, not before a time."""
        self._landed(batch)
        batch.attempts += 1
        batch.not_before = not_before

    def replace(self, batch: ProducerBatch, parts: list[ProducerBatch]) -> None:
        """Replace a batch in flight by smaller ones with the same sequences."""
        self._landed(batch)
        self.sent.split(batch, parts)
        for part in parts:
            part.attempts = batch.attempts + 1

    def retries(self) -> list[ProducerBatch]:
        """The sent batches that are not in flight."""
        return [batch for batch in self.sent.batches if batch not in self.in_flight]

    def retract(self) -> list[ProducerBatch]:
        """Remove the batches that were never sent."""
        gone = list(self.waiting)
        self.waiting.clear()
        return gone

    def overdue(self, before: float) -> list[ProducerBatch]:
        """The batches created before a time that are not in flight."""
        late = [batch for batch in self.retries() if batch.created < before]
        return [*late, *takewhile(lambda batch: batch.created < before, self.waiting)]

    def lost(self) -> list[ProducerBatch]:
        """The batches whose outcome no response can tell any more."""
        return [] if self.in_flight else self.sent.lost()

    def oldest(self) -> ProducerBatch:
        """The creation time of the first batch to send; there is one."""
        return self.retries()[0] if self.has_retries else self.waiting[0]

    def _landed(self, batch: ProducerBatch) -> None:
        if batch in self.in_flight:
            self.in_flight.remove(batch)
