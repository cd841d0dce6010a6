"""Target: where a migration writes: one topic of today whose records nobody else writes."""

from collections.abc import Iterator
from typing import Protocol

from barnabas.errors import BrokerError
from barnabas.migration.offset_map import Producer
from barnabas.records.columns.columns import BytesColumn


class OutOfStep(BrokerError):
    """The target has not the records that a batch is to follow, or knows nothing of its producer."""


class Target(Protocol):
    """One topic. All but OutOfStep is raised as KafkaError, after as many attempts as make sense."""

    def bounds(self, partition: int) -> tuple[int, int]:
        """The first offset that is there, and the end."""
        ...

    def last_batch(self, partition: int, end: int) -> tuple[Producer | None, int]:
        """Who wrote the batch before `end`, and its last sequence; None and -1 where it tells not."""
        ...

    def pause(self) -> None:
        """Give it some time."""
        ...

    def time_ms(self) -> int:
        """The present time."""
        ...

    def new_producer(self) -> Producer:
        """An identity that nobody had before."""
        ...

    def append(self, partition: int, batch: bytearray) -> int:
        """Store a batch that has its producer and sequence; its offset, also if it was there.

        Raises:
            OutOfStep: its sequence is not the next one of its producer.
        """
        ...

    def values(self, partition: int, start: int, end: int) -> Iterator[BytesColumn]:
        """The values of the records [start, end), in pieces.

        Raises:
            MigrationStopped: a record has a key, or no value: it is none that a migration wrote.
        """
        ...
