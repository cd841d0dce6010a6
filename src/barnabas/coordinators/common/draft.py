"""Draft: the records that a request comes to. Each is replayed as it is added.

What comes next in a request sees what came before as if it had been read from the log. If the records
are too large to be written, the group goes back by the ways that were noted.
"""

from typing import Protocol, TypeVar

from barnabas.coordinators.common.shard import CoordinatorRecord, Replayed
from barnabas.coordinators.common.undo import WayBack
from barnabas.types import Buffer

Reply = TypeVar("Reply")


class Replay(Protocol):
    """Takes in one record; what it changes, and there was before, is noted in `ways`."""

    def __call__(self, key: Buffer | None, value: Buffer | None, ways: list[WayBack], /) -> object:
        """Raises DecodeError where the record is not what it should be."""
        ...


class Draft:
    """Records in the order in which they are to be written."""

    __slots__ = ("_replay", "_ways", "records")

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._ways: list[WayBack] = []
        self.records: list[CoordinatorRecord] = []

    def add(self, record: CoordinatorRecord) -> None:
        """Decide one record."""
        self._replay(*record, self._ways)
        self.records.append(record)

    def note(self, way: WayBack) -> None:
        """A change without a record; this function undoes it."""
        self._ways.append(way)

    def result(self, reply: Reply) -> Replayed[Reply]:
        """What the request comes to."""
        return Replayed(reply, tuple(self.records), self._undo)

    def _undo(self) -> None:
        for way in reversed(self._ways):
            way()
