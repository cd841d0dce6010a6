"""Cluster: the connector's requests to a cluster during planning: partitions and offsets.

The planning code knows only the protocol; `admin_cluster` answers it over the network.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from barnabas.spark.options.offsets import OffsetMap
from barnabas.spark.options.selection import Selection
from barnabas.types import TopicPartition


class Cluster(Protocol):
    """Partitions and offsets, each answer as fresh as the call."""

    def partitions(self, selection: Selection) -> set[TopicPartition]:
        """The existing partitions that are selected; what does not exist is just not there."""
        ...

    def earliest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        """First readable offset of each; partitions that do not exist (any more) are left out."""
        ...

    def latest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        """End of what may be read of each; partitions that do not exist are left out."""
        ...

    def at_times(
        self, timestamps_ms: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int | None]:
        """First offset whose timestamp is not before the given one; None where there is none."""
        ...

    def close(self) -> None:
        """Give connections back; a second call does nothing."""
        ...
