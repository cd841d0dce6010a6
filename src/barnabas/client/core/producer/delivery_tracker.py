"""Track the results of many records without a check of each. Waits for nothing.

Records share the outcome of their batch, so checking the batches is enough; only records of a
failed one are checked one by one.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

from barnabas.client.core.producer.delivery import FailedBatch
from barnabas.client.core.producer.producer_batch import ProducerBatch
from barnabas.errors import KafkaError
from barnabas.kernels.batches.objects import Delivery


@dataclass(frozen=True, slots=True)
class DeliverySummary:
    """How many of the records are stored, and the first failure: its number from 1 and the error."""

    count: int
    stored: int
    lost: tuple[int, KafkaError] | None


class DeliveryTracker:
    """The records of a sender in order; those known to be stored are only counted.

    `add` each record and call `look` from time to time: it drops the deliveries with an outcome.
    """

    def __init__(self) -> None:
        self._stored = 0
        self._new: list[Delivery] = []
        self._waiting: deque[tuple[list[Delivery], set[ProducerBatch]]] = deque()

    def __len__(self) -> int:
        """The number of records."""
        return self._stored + len(self._new) + sum(len(records) for records, _ in self._waiting)

    def add(self, sent: Any) -> None:
        """Add a queued record, as returned by `send`."""
        self._new.append(sent)

    def look(self) -> None:
        """Drop the records that are stored by now.

        Raises:
            KafkaError: a record was not delivered.
        """
        self._take_new()
        while self._waiting:
            records, batches = self._waiting[0]
            if not all(batch.settled for batch in batches):
                return
            if any(_failed(batch) for batch in batches):
                for record in records:
                    record.result(0)
            self._stored += len(records)
            self._waiting.popleft()

    def summary(self) -> DeliverySummary:
        """The current result; a record without an outcome counts as not stored."""
        self._take_new()
        stored, number, lost = self._stored, self._stored, None
        for records, _ in self._waiting:
            for record in records:
                number += 1
                try:
                    record.result(0)
                except KafkaError as error:
                    lost = lost or (number, error)
                else:
                    stored += 1
        return DeliverySummary(number, stored, lost)

    def _take_new(self) -> None:
        if self._new:
            self._waiting.append((self._new, {record.batch for record in self._new}))
            self._new = []


def _failed(batch: ProducerBatch) -> bool:
    return isinstance(batch.outcome, FailedBatch) or any(_failed(part) for _, part in batch.parts)
