"""The assigned partitions of a consumer: where it is in each, and what waits of them for the user.

Every assignment and seek gives a partition a new turn number; what was fetched in an old turn is dropped.
"""

from collections import deque
from collections.abc import Iterable

from barnabas.client.core.consumer.fetch_position import NO_REPLICA, FetchPosition
from barnabas.client.core.consumer.fetched import FetchedRecords
from barnabas.client.core.group.fetched_epochs import NO_EPOCH
from barnabas.errors import KafkaError, LocalProtocolError
from barnabas.types import TopicPartition


class AssignedPositions:
    """`parts` are the waiting fetched parts, oldest first, each with the turn in which it was requested.

    `failures` are errors for the user, in order.
    """

    def __init__(self) -> None:
        self.positions: dict[TopicPartition, FetchPosition] = {}
        self.parts: deque[tuple[int, FetchedRecords]] = deque()
        self.failures: deque[KafkaError] = deque()
        self._turn = 0

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Set the assigned partitions; those already assigned keep their positions."""
        wanted = list(dict.fromkeys(partitions))
        for gone in self.positions.keys() - set(wanted):
            self._forget_parts(gone)
            del self.positions[gone]
        self.positions = {where: self.positions.get(where) or self._new() for where in wanted}

    def move(self, where: TopicPartition, offset: int, wanted: int | None = None) -> None:
        """Move a partition to an offset, or (offset -1) to an end of its log that must be looked up."""
        position = self.position(where)
        self._turn += 1
        position.turn = self._turn
        position.offset = position.fetch_offset = offset
        position.wanted = wanted
        position.epoch = -1
        position.epochs.begin(offset, NO_EPOCH)
        position.nearer = NO_REPLICA
        position.not_before = 0.0
        self._forget_parts(where)

    def resolved(
        self, where: TopicPartition, turn: int, offset: int, epoch: int = NO_EPOCH
    ) -> None:
        """A position was looked up, with the epoch before it; ignored if the partition was moved since."""
        position = self.positions.get(where)
        if position is not None and position.turn == turn and not position.known:
            position.offset = position.fetch_offset = offset
            position.epochs.begin(offset, epoch)

    def position(self, where: TopicPartition) -> FetchPosition:
        """The position of an assigned partition.

        Raises:
            LocalProtocolError: it is not assigned.
        """
        found = self.positions.get(where)
        if found is None:
            raise LocalProtocolError(f"{where.topic}-{where.partition} is not assigned")
        return found

    def take(self) -> FetchedRecords | None:
        """Return the next part that is still current, if any, and advance its partition."""
        for _ in range(len(self.parts)):
            turn, part = self.parts.popleft()
            position = self.positions.get(part.where)
            if position is None or position.turn != turn:
                continue
            if position.paused:
                self.parts.append((turn, part))
                continue
            position.parts -= 1
            return part
        return None

    def _forget_parts(self, where: TopicPartition) -> None:
        self.parts = deque(entry for entry in self.parts if entry[1].where != where)
        position = self.positions.get(where)
        if position is not None:
            position.parts = 0

    def _new(self) -> FetchPosition:
        self._turn += 1
        return FetchPosition(turn=self._turn)
