"""RecordDraft: the records that a request produces. Each is replayed as it is added.

Later steps of a request see the earlier ones as if they had been read from the log. If the records
cannot be written, the undo log restores the group.
"""

from typing import Protocol, TypeVar

from barnabas.coordinators.common.shard import CoordinatorRecord, Replayed
from barnabas.coordinators.common.undo import Undo
from barnabas.types import Buffer

Reply = TypeVar("Reply")


class Replay(Protocol):
    """Applies one record, and adds to the undo log what restores the state before it."""

    def __call__(self, key: Buffer | None, value: Buffer | None, undo_log: list[Undo], /) -> object:
        """Raises DecodeError if the record is damaged."""
        ...


class RecordDraft:
    """Records in the order in which they will be written."""

    __slots__ = ("_replay", "_undo_log", "records")

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._undo_log: list[Undo] = []
        self.records: list[CoordinatorRecord] = []

    def add(self, record: CoordinatorRecord) -> None:
        """Add a record, and apply it."""
        self._replay(*record, self._undo_log)
        self.records.append(record)

    def note(self, undo: Undo) -> None:
        """Add the undo function of a change that has no record."""
        self._undo_log.append(undo)

    def result(self, reply: Reply) -> Replayed[Reply]:
        """The response with its records and their undo."""
        return Replayed(reply, tuple(self.records), self._undo)

    def _undo(self) -> None:
        for undo in reversed(self._undo_log):
            undo()
