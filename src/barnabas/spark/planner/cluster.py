"""Cluster: the connector's requests to a cluster during planning: partitions and offsets.

Planning uses only this protocol; `admin_cluster` implements it over the network.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from barnabas.spark.options.offsets import OffsetMap
from barnabas.spark.options.selection import Selection
from barnabas.types import TopicPartition


class Cluster(Protocol):
    """Partitions and offsets, requested anew with each call."""

    def partitions(self, selection: Selection) -> set[TopicPartition]:
        """The selected partitions that exist; others are left out."""
        ...

    def earliest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        """The first readable offset of each; partitions that do not exist are left out."""
        ...

    def latest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        """The end of the readable records of each; partitions that do not exist are left out."""
        ...

    def at_times(
        self, timestamps_ms: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int | None]:
        """The first offset at or after each timestamp; None: no such record."""
        ...

    def close(self) -> None:
        """Release the connections; a second call does nothing."""
        ...
