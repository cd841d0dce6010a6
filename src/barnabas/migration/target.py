"""Target: where a migration writes: one current topic without other producers."""

from collections.abc import Iterator
from typing import Protocol

from barnabas.errors import BrokerError
from barnabas.migration.offset_map import BatchProducer
from barnabas.records.columns.columns import BytesColumn


class TargetOutOfSync(BrokerError):
    """The target does not have the records before the batch, or does not know the producer."""


class MigrationTarget(Protocol):
    """One topic. All errors but TargetOutOfSync are raised as KafkaError, after retries."""

    def bounds(self, partition: int) -> tuple[int, int]:
        """The first and end offset."""
        ...

    def last_batch(self, partition: int, end: int) -> tuple[BatchProducer | None, int]:
        """Producer and last sequence of the batch before `end`; None and -1 if unknown."""
        ...

    def pause(self) -> None:
        """Wait before a retry."""
        ...

    def time_ms(self) -> int:
        """The current time."""
        ...

    def new_producer(self) -> BatchProducer:
        """Return a new producer id."""
        ...

    def append(self, partition: int, batch: bytearray) -> int:
        """Store a batch with its producer and sequence; return its offset, also if it was stored before.

        Raises:
            TargetOutOfSync: its sequence is not the next one of its producer.
        """
        ...

    def values(self, partition: int, start: int, end: int) -> Iterator[BytesColumn]:
        """Yield the values of the records [start, end), in pieces.

        Raises:
            MigrationStopped: a record has a key or no value, so no migration wrote it.
        """
        ...
