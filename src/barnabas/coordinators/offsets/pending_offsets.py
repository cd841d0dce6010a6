"""Offsets of open transactions: they count when their producer commits.

Source: KIP-98; Kafka's OffsetMetadataManager, where what comes later in the log is what counts.
"""

from collections.abc import Collection, Iterator

from barnabas.coordinators.offsets.offset_records import CommittedOffset, Position

_Place = tuple[str, Position]
_Offsets = dict[int, CommittedOffset | None]


class PendingOffsets:
    """By group and partition, the offsets of each producer, in order of arrival.

    One is None if a later offset counts already, while its transaction is still open.
    """

    __slots__ = ("_groups", "_places")

    def __init__(self) -> None:
        self._groups: dict[str, dict[Position, _Offsets]] = {}
        self._places: dict[int, dict[_Place, None]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not self._groups

    def has(self, group_id: str, position: Position) -> bool:
        """Whether there is one for a partition."""
        return position in self._groups.get(group_id, ())

    def groups(self) -> Collection[str]:
        """The groups that there is one for."""
        return self._groups.keys()

    def positions(self, group_id: str) -> Collection[Position]:
        """The partitions of a group that there is one for."""
        return self._groups.get(group_id, {}).keys()

    def add(
        self, producer_id: int, group_id: str, position: Position, offset: CommittedOffset
    ) -> None:
        """Keep a producer's offset; it replaces its earlier one."""
        offsets = self._groups.setdefault(group_id, {}).setdefault(position, {})
        offsets.pop(producer_id, None)
        offsets[producer_id] = offset
        self._places.setdefault(producer_id, {})[group_id, position] = None

    def outdate(self, group_id: str, position: Position) -> None:
        """What there is for a partition will not count: a later offset does already."""
        offsets = self._groups.get(group_id, {}).get(position, {})
        offsets.update(dict.fromkeys(offsets))

    def forget(self, group_id: str, position: Position) -> None:
        """Drop what there is for a partition: its offset was removed."""
        for producer_id in tuple(self._groups.get(group_id, {}).get(position, ())):
            self._drop((group_id, position), producer_id)

    def end(
        self, producer_id: int, *, committed: bool
    ) -> Iterator[tuple[str, Position, CommittedOffset]]:
        """Take out all of a producer; gives them if they count now."""
        for place in tuple(self._places.get(producer_id, ())):
            group_id, position = place
            offsets = self._groups[group_id][position]
            offset = offsets[producer_id]
            if committed and offset is not None:
                order = list(offsets)
                offsets.update(dict.fromkeys(order[: order.index(producer_id)]))
                yield group_id, position, offset
            self._drop(place, producer_id)

    def _drop(self, place: _Place, producer_id: int) -> None:
        group_id, position = place
        places, positions = self._places[producer_id], self._groups[group_id]
        del positions[position][producer_id], places[place]
        if not places:
            del self._places[producer_id]
        if not positions[position]:
            del positions[position]
        if not positions:
            del self._groups[group_id]
