"""Source: what a migration reads: the partitions of one topic of Kafka 0.7, as bytes."""

from collections.abc import Sequence
from typing import Protocol

from barnabas.client.driver07.assignment import BrokerPartition


class Source(Protocol):
    """Offsets are positions of bytes, as in 0.7."""

    @property
    def places(self) -> Sequence[BrokerPartition]:
        """The partitions of its brokers, in order."""
        ...

    def bounds(self, place: BrokerPartition) -> tuple[int, int]:
        """Where a partition begins and ends now.

        Raises:
            KafkaError: its broker, or its file, is not to be had; here and below.
        """
        ...

    def read(self, place: BrokerPartition, offset: int, size: int) -> memoryview:
        """Up to `size` bytes from there on, cut where they end; nothing where nothing is."""
        ...

    def next_start(self, place: BrokerPartition, offset: int) -> int:
        """Where the first segment begins that begins behind `offset`; the end, if none does."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...
