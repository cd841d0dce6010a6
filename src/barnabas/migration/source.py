"""Source: what a migration reads: the partitions of one Kafka 0.7 topic, as bytes."""

from collections.abc import Sequence
from typing import Protocol

from barnabas.client.driver07.assignment import BrokerPartition


class MigrationSource(Protocol):
    """Offsets are byte positions, as in 0.7."""

    @property
    def places(self) -> Sequence[BrokerPartition]:
        """The partitions on its brokers, in order."""
        ...

    def bounds(self, place: BrokerPartition) -> tuple[int, int]:
        """The first and end offset of a partition now.

        Raises:
            KafkaError: its broker or file is unavailable; this holds for all methods.
        """
        ...

    def read(self, place: BrokerPartition, offset: int, size: int) -> memoryview:
        """Return up to `size` bytes from `offset` on, truncated anywhere; empty at the end."""
        ...

    def next_start(self, place: BrokerPartition, offset: int) -> int:
        """The start of the first segment after `offset`; the end if there is none."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...
