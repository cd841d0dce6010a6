"""Offsets of open transactions: they count when their producer commits.

Source: KIP-98; Kafka's OffsetMetadataManager, where what comes later in the log is what counts.
"""

from collections.abc import Iterable, Iterator

from barnabas.coordinators.group.offset_records import CommittedOffset, Position

_Place = tuple[str, Position]


class PendingOffsets:
    """By place, the offsets of each producer, in the order in which they came."""

    __slots__ = ("_offsets", "_places")

    def __init__(self) -> None:
        self._offsets: dict[_Place, dict[int, CommittedOffset]] = {}
        self._places: dict[int, dict[_Place, None]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not self._offsets

    def has(self, group_id: str, position: Position) -> bool:
        """Whether there is one for a partition."""
        return (group_id, position) in self._offsets

    def add(
        self, producer_id: int, group_id: str, position: Position, offset: CommittedOffset
    ) -> None:
        """Keep a producer's offset; it replaces its earlier one."""
        place = group_id, position
        offsets = self._offsets.setdefault(place, {})
        offsets.pop(producer_id, None)
        offsets[producer_id] = offset
        self._places.setdefault(producer_id, {})[place] = None

    def replace(self, group_id: str, position: Position) -> None:
        """Drop what there is for a partition: a later offset counts already."""
        if self._offsets:
            self._drop((group_id, position), self._offsets.get((group_id, position), ()))

    def end(
        self, producer_id: int, *, committed: bool
    ) -> Iterator[tuple[str, Position, CommittedOffset]]:
        """Take out all of a producer; gives them if they count now."""
        for place in tuple(self._places.get(producer_id, ())):
            offsets = self._offsets[place]
            if not committed:
                self._drop(place, (producer_id,))
                continue
            yield (*place, offsets[producer_id])
            order = list(offsets)
            self._drop(place, order[: order.index(producer_id) + 1])

    def _drop(self, place: _Place, producers: Iterable[int]) -> None:
        for producer_id in tuple(producers):
            places = self._places[producer_id]
            del self._offsets[place][producer_id], places[place]
            if not places:
                del self._places[producer_id]
        if not self._offsets.get(place, True):
            del self._offsets[place]
