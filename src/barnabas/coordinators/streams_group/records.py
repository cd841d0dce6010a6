"""Streams groups as records of __consumer_offsets. Source: Kafka's StreamsCoordinatorRecordHelpers."""

from collections.abc import Mapping
from functools import partial

from barnabas.coordinators.common.record_kinds import encode_record
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.tasks import Role, Task, Tasks, by_subtopology
from barnabas.coordinators.streams_group.topology import Topology
from barnabas.protocol.internal import streams_group_records as layouts

EPOCH, MEMBER, ASSIGNMENT_EPOCH, TARGET, CURRENT, TOPOLOGY = 17, 19, 20, 21, 22, 23


def epoch_record(
    group_id: str, epoch: int, metadata_hash: int, validated: int
) -> CoordinatorRecord:
    """A group reached an epoch, with topics of that hash."""
    value = layouts.StreamsGroupMetadataValue(
        epoch=epoch, metadata_hash=metadata_hash, validated_topology_epoch=validated
    )
    return encode_record(EPOCH, layouts.StreamsGroupMetadataKey(group_id=group_id), value)


def topology_record(group_id: str, topology: Topology) -> CoordinatorRecord:
    """The topology of the application."""
    value = layouts.StreamsGroupTopologyValue(
        epoch=topology.epoch,
        # As in Kafka's own, so that the same topology has the same bytes.
        subtopologies=sorted(topology.subtopologies, key=lambda one: one.subtopology_id),
    )
    return encode_record(TOPOLOGY, layouts.StreamsGroupTopologyKey(group_id=group_id), value)


def member_record(group_id: str, member: StreamsMember) -> CoordinatorRecord:
    """A member's own data."""
    key = layouts.StreamsGroupMemberMetadataKey(group_id=group_id, member_id=member.member_id)
    endpoint = member.endpoint
    value = layouts.StreamsGroupMemberMetadataValue(
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        topology_epoch=member.topology_epoch,
        process_id=member.process_id,
        user_endpoint=endpoint and layouts.Endpoint(host=endpoint.host, port=endpoint.port),
        client_tags=[layouts.KeyValue(key=key, value=value) for key, value in member.tags],
    )
    return encode_record(MEMBER, key, value)


def assignment_epoch_record(group_id: str, epoch: int, at_ms: int) -> CoordinatorRecord:
    """The assignment of an epoch is complete."""
    value = layouts.StreamsGroupTargetAssignmentMetadataValue(
        assignment_epoch=epoch, assignment_timestamp=at_ms
    )
    key = layouts.StreamsGroupTargetAssignmentMetadataKey(group_id=group_id)
    return encode_record(ASSIGNMENT_EPOCH, key, value)


def target_record(group_id: str, member_id: str, tasks: Tasks) -> CoordinatorRecord:
    """A member's target tasks."""
    key = layouts.StreamsGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id)
    rows = partial(_target, tasks)
    value = layouts.StreamsGroupTargetAssignmentMemberValue(
        active_tasks=rows(Role.ACTIVE),
        standby_tasks=rows(Role.STANDBY),
        warmup_tasks=rows(Role.WARMUP),
    )
    return encode_record(TARGET, key, value)


def _target(tasks: Tasks, role: Role) -> list[layouts.TargetTasks]:
    return [
        layouts.TargetTasks(subtopology_id=each, partitions=partitions)
        for each, partitions in by_subtopology(tasks, role).items()
    ]


def current_record(group_id: str, member: StreamsMember) -> CoordinatorRecord:
    """A member's current tasks, and what it must revoke."""
    key = layouts.StreamsGroupCurrentMemberAssignmentKey(
        group_id=group_id, member_id=member.member_id
    )
    has, returns = partial(_current, member.assigned), partial(_current, member.revoking)
    value = layouts.StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=member.state,
        active_tasks=has(Role.ACTIVE),
        standby_tasks=has(Role.STANDBY),
        warmup_tasks=has(Role.WARMUP),
        active_tasks_pending_revocation=returns(Role.ACTIVE),
        standby_tasks_pending_revocation=returns(Role.STANDBY),
        warmup_tasks_pending_revocation=returns(Role.WARMUP),
    )
    return encode_record(CURRENT, key, value)


def _current(tasks: Mapping[Task, int], role: Role) -> list[layouts.CurrentTasks]:
    """Only active tasks have epochs."""
    return [
        layouts.CurrentTasks(
            subtopology_id=each,
            partitions=partitions,
            assignment_epochs=[tasks[Task(role, each, one)] for one in partitions]
            if role is Role.ACTIVE
            else [],
        )
        for each, partitions in by_subtopology(tasks, role).items()
    ]


def without_member(group_id: str, member_id: str) -> list[CoordinatorRecord]:
    """The records that remove a member."""
    names = {"group_id": group_id, "member_id": member_id}
    return [
        encode_record(CURRENT, layouts.StreamsGroupCurrentMemberAssignmentKey(**names), None),
        encode_record(TARGET, layouts.StreamsGroupTargetAssignmentMemberKey(**names), None),
        encode_record(MEMBER, layouts.StreamsGroupMemberMetadataKey(**names), None),
    ]


def without_group(group: StreamsGroup) -> list[CoordinatorRecord]:
    """The records that remove a group."""
    name = group.group_id
    assigned = layouts.StreamsGroupTargetAssignmentMetadataKey(group_id=name)
    return [
        *(one for member in sorted(group.members) for one in without_member(name, member)),
        encode_record(ASSIGNMENT_EPOCH, assigned, None),
        encode_record(EPOCH, layouts.StreamsGroupMetadataKey(group_id=name), None),
        encode_record(TOPOLOGY, layouts.StreamsGroupTopologyKey(group_id=name), None),
    ]
