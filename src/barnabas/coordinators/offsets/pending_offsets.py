"""Offsets of open transactions: they count when their producer commits.

Source: KIP-98; Kafka's OffsetMetadataManager: the later record in the log wins.
"""

from collections.abc import Collection, Iterator

from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.types import TopicPartition

_Key = tuple[str, TopicPartition]
_Offsets = dict[int, OffsetAndMetadata | None]


class PendingOffsets:
    """By group and partition, the offsets of each producer, in order of arrival.

    An offset is None if a later one was committed while its transaction was still open.
    """

    __slots__ = ("_by_producer", "_groups")

    def __init__(self) -> None:
        self._groups: dict[str, dict[TopicPartition, _Offsets]] = {}
        self._by_producer: dict[int, dict[_Key, None]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not self._groups

    def has(self, group_id: str, position: TopicPartition) -> bool:
        """Whether an open transaction has an offset for a partition."""
        return position in self._groups.get(group_id, ())

    def groups(self) -> Collection[str]:
        """The groups with offsets of open transactions."""
        return self._groups.keys()

    def positions(self, group_id: str) -> Collection[TopicPartition]:
        """The partitions of a group with offsets of open transactions."""
        return self._groups.get(group_id, {}).keys()

    def add(
        self, producer_id: int, group_id: str, position: TopicPartition, offset: OffsetAndMetadata
    ) -> None:
        """Keep a producer's offset; it replaces its earlier one."""
        offsets = self._groups.setdefault(group_id, {}).setdefault(position, {})
        offsets.pop(producer_id, None)
        offsets[producer_id] = offset
        self._by_producer.setdefault(producer_id, {})[group_id, position] = None

    def outdate(self, group_id: str, position: TopicPartition) -> None:
        """Mark the pending offsets of a partition as superseded by one that was committed later."""
        offsets = self._groups.get(group_id, {}).get(position, {})
        offsets.update(dict.fromkeys(offsets))

    def forget(self, group_id: str, position: TopicPartition) -> None:
        """Drop the pending offsets of a partition: its offset was removed."""
        for producer_id in tuple(self._groups.get(group_id, {}).get(position, ())):
            self._drop((group_id, position), producer_id)

    def end(
        self, producer_id: int, *, committed: bool
    ) -> Iterator[tuple[str, TopicPartition, OffsetAndMetadata]]:
        """Remove a producer's offsets; yield those that now count."""
        for key in tuple(self._by_producer.get(producer_id, ())):
            group_id, position = key
            offsets = self._groups[group_id][position]
            offset = offsets[producer_id]
            if committed and offset is not None:
                order = list(offsets)
                offsets.update(dict.fromkeys(order[: order.index(producer_id)]))
                yield group_id, position, offset
            self._drop(key, producer_id)

    def _drop(self, key: _Key, producer_id: int) -> None:
        group_id, position = key
        partitions, positions = self._by_producer[producer_id], self._groups[group_id]
        del positions[position][producer_id], partitions[key]
        if not partitions:
            del self._by_producer[producer_id]
        if not positions[position]:
            del positions[position]
        if not positions:
            del self._groups[group_id]
