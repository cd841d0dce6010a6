"""Apply records to streams groups, which change nowhere else."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from barnabas.coordinators.common.group_replay import Effect, GroupReplay
from barnabas.coordinators.common.record_kinds import Layouts
from barnabas.coordinators.common.undo import Undo, restore_entries
from barnabas.coordinators.streams_group import records
from barnabas.coordinators.streams_group.group import BEFORE_THE_FIRST, StreamsGroup
from barnabas.coordinators.streams_group.member import (
    MemberEndpoint,
    StreamsMember,
    StreamsMemberState,
)
from barnabas.coordinators.streams_group.tasks import Role, Task, tasks_of
from barnabas.coordinators.streams_group.topology import read_topology
from barnabas.errors import BrokerError, DecodeError
from barnabas.protocol.internal import streams_group_records as layouts


def _member(group: StreamsGroup, member_id: str) -> StreamsMember:
    return group.members.get(member_id) or StreamsMember(member_id=member_id)


def _epoch(group: StreamsGroup, _of: object, value: layouts.StreamsGroupMetadataValue) -> None:
    group.epoch, group.metadata_hash = value.epoch, value.metadata_hash
    group.validated = value.validated_topology_epoch


def _structure(group: StreamsGroup, _of: object, value: layouts.StreamsGroupTopologyValue) -> None:
    try:
        group.topology = read_topology(value)
    except BrokerError as error:
        raise DecodeError("value.subtopologies", 0, error.why) from error


def _put(
    group: StreamsGroup,
    of: layouts.StreamsGroupMemberMetadataKey,
    value: layouts.StreamsGroupMemberMetadataValue,
) -> None:
    endpoint = value.user_endpoint
    group.members[of.member_id] = replace(
        _member(group, of.member_id),
        instance_id=value.instance_id,
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        rebalance_timeout_ms=value.rebalance_timeout_ms,
        topology_epoch=value.topology_epoch,
        process_id=value.process_id,
        endpoint=None if endpoint is None else MemberEndpoint(endpoint.host, endpoint.port),
        tags=tuple((one.key, one.value) for one in value.client_tags),
    )


def _assignment_epoch(
    group: StreamsGroup, _of: object, value: layouts.StreamsGroupTargetAssignmentMetadataValue
) -> None:
    group.assignment_epoch = value.assignment_epoch
    group.assigned_at_ms = value.assignment_timestamp


def _aim(
    group: StreamsGroup,
    of: layouts.StreamsGroupTargetAssignmentMemberKey,
    value: layouts.StreamsGroupTargetAssignmentMemberValue,
) -> None:
    group.target[of.member_id] = (
        tasks_of(Role.ACTIVE, value.active_tasks)
        | tasks_of(Role.STANDBY, value.standby_tasks)
        | tasks_of(Role.WARMUP, value.warmup_tasks)
    )


def _move(
    group: StreamsGroup,
    of: layouts.StreamsGroupCurrentMemberAssignmentKey,
    value: layouts.StreamsGroupCurrentMemberAssignmentValue,
) -> None:
    epoch, known = value.member_epoch, set(StreamsMemberState)
    group.members[of.member_id] = replace(
        _member(group, of.member_id),
        epoch=epoch,
        previous_epoch=value.previous_member_epoch,
        state=StreamsMemberState(value.state)
        if value.state in known
        else StreamsMemberState.UNKNOWN,
        assigned=_since(Role.ACTIVE, value.active_tasks, epoch)
        | _since(Role.STANDBY, value.standby_tasks, epoch)
        | _since(Role.WARMUP, value.warmup_tasks, epoch),
        revoking=_since(Role.ACTIVE, value.active_tasks_pending_revocation, epoch)
        | _since(Role.STANDBY, value.standby_tasks_pending_revocation, epoch)
        | _since(Role.WARMUP, value.warmup_tasks_pending_revocation, epoch),
    )


def _since(role: Role, rows: Iterable[layouts.CurrentTasks], epoch: int) -> dict[Task, int]:
    """Before Kafka 4.3, records had no epoch per task: then it is the member's epoch."""
    tasks = {}
    for row in rows:
        epochs = row.assignment_epochs or [epoch] * len(row.partitions)
        if len(epochs) != len(row.partitions):
            raise DecodeError("value.assignment_epochs", 0, "one for each partition")
        for partition, since in zip(row.partitions, epochs, strict=True):
            tasks[Task(role, row.subtopology_id, partition)] = since
    return tasks


_EFFECTS: Mapping[int, Effect] = {
    records.EPOCH: Effect(
        Layouts(layouts.StreamsGroupMetadataKey, layouts.StreamsGroupMetadataValue), _epoch
    ),
    records.MEMBER: Effect(
        Layouts(layouts.StreamsGroupMemberMetadataKey, layouts.StreamsGroupMemberMetadataValue),
        _put,
    ),
    records.ASSIGNMENT_EPOCH: Effect(
        Layouts(
            layouts.StreamsGroupTargetAssignmentMetadataKey,
            layouts.StreamsGroupTargetAssignmentMetadataValue,
        ),
        _assignment_epoch,
    ),
    records.TARGET: Effect(
        Layouts(
            layouts.StreamsGroupTargetAssignmentMemberKey,
            layouts.StreamsGroupTargetAssignmentMemberValue,
        ),
        _aim,
    ),
    records.CURRENT: Effect(
        Layouts(
            layouts.StreamsGroupCurrentMemberAssignmentKey,
            layouts.StreamsGroupCurrentMemberAssignmentValue,
        ),
        _move,
    ),
    records.TOPOLOGY: Effect(
        Layouts(layouts.StreamsGroupTopologyKey, layouts.StreamsGroupTopologyValue), _structure
    ),
}


def _remove(groups: dict[str, StreamsGroup], group: StreamsGroup, of: Any) -> None:
    match of:
        case layouts.StreamsGroupMetadataKey():
            del groups[of.group_id]
        case layouts.StreamsGroupMemberMetadataKey():
            group.drop(of.member_id)
        case layouts.StreamsGroupTargetAssignmentMetadataKey():
            group.assignment_epoch, group.assigned_at_ms = BEFORE_THE_FIRST, 0
        case layouts.StreamsGroupTargetAssignmentMemberKey():
            group.target.pop(of.member_id, None)
        case layouts.StreamsGroupTopologyKey():
            group.topology = None
        case _:
            pass  # What a member did goes with the member.


def _undo_of(group: StreamsGroup, of: Any) -> Undo | None:
    member_id, volatile = getattr(of, "member_id", None), group.volatile
    if member_id is None:
        return None
    return restore_entries(
        member_id, group.members, group.target, volatile.sessions, volatile.limits
    )


replay: GroupReplay[StreamsGroup] = GroupReplay(StreamsGroup, _EFFECTS, _remove, _undo_of)
