"""Mistakes of a broker with streams groups; see `mistakes`."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace

import pytest

from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.streams_group import (
    committing,
    reconciling,
    records,
    sticky_assignor,
    target,
)
from barnabas.coordinators.streams_group import groups as streams_groups
from barnabas.coordinators.streams_group import heartbeats as beating
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.statuses import Status, StatusCode
from barnabas.coordinators.streams_group.tasks import Role, Task, Tasks
from barnabas.coordinators.streams_group.topology import Topology
from barnabas.errors import ErrorCode

Patch = pytest.MonkeyPatch


def give_tasks_too_soon(patch: Patch) -> None:
    """Forget which member still has a task of a streams group that it must release."""
    patch.setattr(StreamsGroup, "holders", lambda _self: {})


def stand_by_beside_oneself(patch: Patch) -> None:
    """Have a process do a task and stand by for it."""

    def is_free(task: Task, _own: Container[Task], holders: Mapping[Task, set[str]]) -> bool:
        return task.role is not Role.ACTIVE or not holders.get(task)

    patch.setattr(reconciling, "_is_free", is_free)


def take_commits_of_streams_zombies(patch: Patch) -> None:
    """Let anybody commit in a streams group."""
    patch.setattr(committing, "refused_positions", lambda *_asked: {})


def have_nobody_stand_by(patch: Patch) -> None:
    """Hand out no standby tasks."""
    real = sticky_assignor.assign

    def assign(group: sticky_assignor.GroupTasks) -> Mapping[str, Tasks]:
        return real(group._replace(standbys=0))

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


def take_newer_topologies(patch: Patch) -> None:
    """Have a group do what a member has that was updated, while the others still run."""
    real = beating._topology

    def topology(group: StreamsGroup, asked: StreamsHeartbeat) -> Topology:
        known, response = group.topology, asked.topology
        if known is not None and response is not None and response.epoch > known.epoch:
            group.topology = group.volatile.configured = None
        return real(group, asked)

    patch.setattr(beating, "_topology", topology)


def take_other_topologies(patch: Patch) -> None:
    """Look at no more than the epochs of topologies."""
    patch.setattr(beating, "_is_same", lambda one, other: one.epoch == other.epoch)


def call_no_topology_old(patch: Patch) -> None:
    """Do not say to a member that its topology is older than the group's."""
    real = beating._statuses

    def statuses(
        group: StreamsGroup, member: StreamsMember, delayed: Status | None
    ) -> Iterable[Status]:
        response = real(group, member, delayed)
        return (one for one in response if one.code is not StatusCode.STALE_TOPOLOGY)

    patch.setattr(beating, "_statuses", statuses)


def end_behind_backs(patch: Patch) -> None:
    """Report the end of an application only to members whose heartbeat has changes."""
    real = streams_groups._has_nothing_to_tell

    def has_nothing_to_tell(group: StreamsGroup, member: StreamsMember) -> bool:
        ends, group.volatile = group.volatile, replace(group.volatile, shutdown_by=None)
        try:
            return real(group, member)
        finally:
            group.volatile = ends

    patch.setattr(streams_groups, "_has_nothing_to_tell", has_nothing_to_tell)


def end_for_ever(patch: Patch) -> None:
    """Still say that an application is to end when all of it has."""

    def drop(group: StreamsGroup, member_id: str) -> None:
        group.members.pop(member_id, None)
        group.volatile.forget(member_id)

    patch.setattr(StreamsGroup, "drop", drop)


STREAMS_MISTAKES = (
    give_tasks_too_soon,
    stand_by_beside_oneself,
    take_commits_of_streams_zombies,
    have_nobody_stand_by,
    keep_nothing_of_tasks,
    take_newer_topologies,
    take_other_topologies,
    call_no_topology_old,
    end_behind_backs,
    end_for_ever,
)
