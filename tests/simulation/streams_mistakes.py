"""Mistakes of a broker with streams groups; see `mistakes`."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from barnabas.broker.group_shards import GroupShards, Held
from barnabas.coordinators.shard import CoordinatorRecord
from barnabas.coordinators.streams_group import (
    committing,
    reconciling,
    records,
    sticky_assignor,
    target,
)
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.tasks import Role, Task, Tasks
from barnabas.errors import ErrorCode

Patch = pytest.MonkeyPatch


def give_tasks_too_soon(patch: Patch) -> None:
    """Forget who has a task of a streams group until that one has given it back."""
    patch.setattr(StreamsGroup, "holders", lambda _self: {})


def stand_by_beside_oneself(patch: Patch) -> None:
    """Have a process do a task and stand by for it."""

    def is_free(task: Task, _process: str, holders: Mapping[Task, set[str]]) -> bool:
        return task.role is not Role.ACTIVE or not holders.get(task)

    patch.setattr(reconciling, "_is_free", is_free)


def take_commits_of_streams_zombies(patch: Patch) -> None:
    """Let anybody commit in a streams group."""
    patch.setattr(committing, "refused_positions", lambda *_asked: {})


def have_nobody_stand_by(patch: Patch) -> None:
    """Hand out no standby tasks."""
    real = sticky_assignor.assign

    def assign(wishes: sticky_assignor.Wishes) -> Mapping[str, Tasks]:
        return real(wishes._replace(standbys=0))

    patch.setattr(target, "assign", assign)


def keep_nothing_of_tasks(patch: Patch) -> None:
    """Do not write what the members of streams groups do."""
    real = GroupShards.append
    kind = records.CURRENT.to_bytes(2, "big")

    def append(
        shards: GroupShards,
        held: Held,
        written: Sequence[CoordinatorRecord],
        on_written: Callable[[ErrorCode], None],
    ) -> None:
        kept = [one for one in written if one.key[:2] != kind]
        real(shards, held, kept or written, on_written)

    patch.setattr(GroupShards, "append", append)


STREAMS_MISTAKES = (
    give_tasks_too_soon,
    stand_by_beside_oneself,
    take_commits_of_streams_zombies,
    have_nobody_stand_by,
    keep_nothing_of_tasks,
)
