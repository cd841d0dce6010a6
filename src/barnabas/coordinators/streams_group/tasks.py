"""Tasks: the work of members of a streams group, each for one partition of one subtopology."""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple


class Role(IntEnum):
    """The role of a member in a task; in the order of the messages."""

    ACTIVE = 0
    """It processes records."""
    STANDBY = 1
    """It keeps a copy of the state."""
    WARMUP = 2
    """It builds a copy of the state, to process records later."""


class Task(NamedTuple):
    """One task in one role."""

    role: Role
    subtopology_id: str
    partition: int

    def as_(self, role: Role) -> "Task":
        """The same task in a role."""
        return self if self.role is role else Task(role, self.subtopology_id, self.partition)


Tasks = frozenset[Task]
NO_TASKS: Tasks = frozenset()


def by_subtopology(tasks: Iterable[Task], role: Role) -> Mapping[str, list[int]]:
    """Sorted partitions by subtopology, as in messages and records."""
    found: dict[str, list[int]] = {}
    for task in tasks:
        if task.role is role:
            found.setdefault(task.subtopology_id, []).append(task.partition)
    return {name: sorted(found[name]) for name in sorted(found)}


def tasks_of(role: Role, rows: Iterable[Any]) -> Tasks:
    """Tasks from rows of a message or a record: a subtopology and its partitions."""
    return frozenset(
        Task(role, row.subtopology_id, partition) for row in rows for partition in row.partitions
    )
