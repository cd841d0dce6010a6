"""The records that a share consumer has acquired, and their acknowledgements until they are sent. No I/O.

    take() -> open --acknowledge()--> due --due()--> sent

Source: KIP-932.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import IntEnum
from typing import Final

from barnabas.client.core.group.epoch_membership import TopicIdIndex
from barnabas.errors import LocalProtocolError
from barnabas.protocol.share_fetch import AcknowledgementBatch, AcquiredRecords

_GAP: Final = 0


class AcknowledgeType(IntEnum):
    """What becomes of an acquired record.

    ACCEPT: it was processed. RELEASE: deliver it again, to any member. REJECT: never deliver it again.
    """

    ACCEPT = 1
    RELEASE = 2
    REJECT = 3


class Acquired:
    """Acquired records by partition: `open` ones are with the user, others wait to be sent.

    A partition belongs to the broker (`node_id`) that its records were acquired from.
    """

    def __init__(self) -> None:
        self._open: dict[TopicIdIndex, dict[int, int]] = {}
        """The delivery count of each offset."""
        self._due: dict[TopicIdIndex, dict[int, int]] = {}
        self._nodes: dict[TopicIdIndex, int] = {}
        self._lost: dict[TopicIdIndex, dict[int, int]] = {}
        """Open records whose session has ended; the user may still acknowledge them, in vain."""
        self.refused: set[TopicIdIndex] = set()
        """Partitions with such acknowledgements, until the caller has reported and cleared them."""

    @property
    def open_count(self) -> int:
        """The number of returned records without an acknowledgement."""
        return sum(map(len, (*self._open.values(), *self._lost.values())))

    def take(
        self,
        place: TopicIdIndex,
        node_id: int,
        ranges: Iterable[AcquiredRecords],
        offsets: Iterable[int],
    ) -> None:
        """Records were acquired and are returned; an offset of a range without a record is a gap."""
        there = set(offsets)
        returned = self._open.setdefault(place, {})
        self._nodes[place] = node_id
        for row in ranges:
            for offset in range(row.first_offset, row.last_offset + 1):
                if offset in there:
                    returned[offset] = row.delivery_count
                else:
                    self._due.setdefault(place, {})[offset] = _GAP

    def delivery_count(self, place: TopicIdIndex, offset: int) -> int:
        """How often a record has been delivered, this time included.

        Raises:
            LocalProtocolError: it is not acquired, or already acknowledged.
        """
        count = self._open.get(place, {}).get(offset) or self._lost.get(place, {}).get(offset)
        if count is None:
            raise LocalProtocolError(f"the record at offset {offset} is not acquired")
        return count

    def acknowledge(self, place: TopicIdIndex, offset: int, kind: AcknowledgeType) -> None:
        """Acknowledge one record.

        Raises:
            LocalProtocolError: it is not acquired, or already acknowledged.
        """
        self.delivery_count(place, offset)
        if self._lost.get(place, {}).pop(offset, None) is not None:
            self.refused.add(place)
            return
        del self._open[place][offset]
        self._due.setdefault(place, {})[offset] = kind

    def acknowledge_rest(
        self, kind: AcknowledgeType, besides: Collection[tuple[TopicIdIndex, int]] = ()
    ) -> None:
        """Acknowledge all records that are open, besides those of these places and offsets."""
        kept: dict[TopicIdIndex, dict[int, int]] = {}
        for place, offset in besides:
            if offset in self._open.get(place, {}):
                kept.setdefault(place, {})[offset] = self._open[place].pop(offset)
        for place, offsets in self._open.items():
            self._due.setdefault(place, {}).update(dict.fromkeys(offsets, kind))
        self._open = kept
        self.refused.update(place for place, offsets in self._lost.items() if offsets)
        self._lost.clear()

    def give_back(
        self, place: TopicIdIndex, node_id: int, ranges: Iterable[AcquiredRecords]
    ) -> None:
        """Release records that were acquired and cannot be returned."""
        self._nodes[place] = node_id
        due = self._due.setdefault(place, {})
        for row in ranges:
            offsets = range(row.first_offset, row.last_offset + 1)
            due.update(dict.fromkeys(offsets, AcknowledgeType.RELEASE))

    def due_places(self) -> list[TopicIdIndex]:
        """The partitions that acknowledgements are due of."""
        return [place for place, offsets in self._due.items() if offsets]

    def nodes(self) -> set[int]:
        """The brokers that acknowledgements are due at."""
        return {self._nodes[place] for place, offsets in self._due.items() if offsets}

    def due(self, node_id: int) -> dict[TopicIdIndex, list[AcknowledgementBatch]]:
        """Remove and return what is due at a broker."""
        places = [place for place in self._due if self._nodes[place] == node_id]
        found = {place: self._due.pop(place) for place in places}
        return {place: _batches(offsets) for place, offsets in found.items() if offsets}

    def lost(self, node_id: int) -> None:
        """The session with a broker ended: what was acquired in it is released by the broker."""
        for place in [place for place, node in self._nodes.items() if node == node_id]:
            if self._due.pop(place, None):
                self.refused.add(place)
            self._lost.setdefault(place, {}).update(self._open.pop(place, {}))
            del self._nodes[place]


def _batches(kinds: Mapping[int, int]) -> list[AcknowledgementBatch]:
    """Ranges of neighbouring offsets of one kind."""
    made: list[AcknowledgementBatch] = []
    for offset in sorted(kinds):
        kind = kinds[offset]
        last = made[-1] if made else None
        if last and last.last_offset == offset - 1 and last.acknowledge_types == [kind]:
            last.last_offset = offset
        else:
            made.append(
                AcknowledgementBatch(
                    first_offset=offset, last_offset=offset, acknowledge_types=[kind]
                )
            )
    return made
