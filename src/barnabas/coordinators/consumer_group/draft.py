"""Draft: the records that a request comes to. Each is replayed as it is added.

What comes next in a request sees what came before as if it had been read from the log. If the records
cannot be written, the caller reads all groups from the log again.
"""

from collections.abc import Callable

from barnabas.coordinators.shard import CoordinatorRecord
from barnabas.types import Buffer

Replay = Callable[[Buffer | None, Buffer | None], None]


class Draft:
    """Records in the order in which they are to be written."""

    __slots__ = ("_replay", "records")

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self.records: list[CoordinatorRecord] = []

    def add(self, record: CoordinatorRecord) -> None:
        """Decide one record."""
        self._replay(*record)
        self.records.append(record)
