"""Apply records to consumer groups, which change nowhere else."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from barnabas.coordinators.common.group_replay import Effect, GroupReplay
from barnabas.coordinators.common.record_kinds import Layouts
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.common.undo import Undo, restore_entries
from barnabas.coordinators.consumer_group import records
from barnabas.coordinators.consumer_group.group import ConsumerGroup, ResolvedRegex
from barnabas.coordinators.consumer_group.member import (
    ClassicSide,
    ConsumerMember,
    ConsumerMemberState,
)
from barnabas.errors import DecodeError
from barnabas.protocol.internal import consumer_group_records as layouts


def _epoch(group: ConsumerGroup, _of: object, value: layouts.ConsumerGroupMetadataValue) -> None:
    group.epoch, group.metadata_hash = value.epoch, value.metadata_hash


def _assignment_epoch(
    group: ConsumerGroup, _of: object, value: layouts.ConsumerGroupTargetAssignmentMetadataValue
) -> None:
    group.assignment_epoch = value.assignment_epoch
    group.assigned_at_ms = value.assignment_timestamp


def _put(
    group: ConsumerGroup,
    of: layouts.ConsumerGroupMemberMetadataKey,
    value: layouts.ConsumerGroupMemberMetadataValue,
) -> None:
    group.put(_updated(_member(group, of.member_id), value))


def _move(
    group: ConsumerGroup,
    of: layouts.ConsumerGroupCurrentMemberAssignmentKey,
    value: layouts.ConsumerGroupCurrentMemberAssignmentValue,
) -> None:
    group.put(_moved(_member(group, of.member_id), value))


def _aim(
    group: ConsumerGroup,
    of: layouts.ConsumerGroupTargetAssignmentMemberKey,
    value: layouts.ConsumerGroupTargetAssignmentMemberValue,
) -> None:
    group.target[of.member_id] = frozenset(
        TopicIdPartition(bytes(one.topic_id), partition)
        for one in value.topic_partitions
        for partition in one.partitions
    )


def _resolve(
    group: ConsumerGroup,
    of: layouts.ConsumerGroupRegularExpressionKey,
    value: layouts.ConsumerGroupRegularExpressionValue,
) -> None:
    found = ResolvedRegex(frozenset(value.topics), value.version, value.timestamp)
    group.regexes[of.regular_expression] = found


_EFFECTS: Mapping[int, Effect] = {
    records.EPOCH: Effect(
        Layouts(layouts.ConsumerGroupMetadataKey, layouts.ConsumerGroupMetadataValue), _epoch
    ),
    records.MEMBER: Effect(
        Layouts(layouts.ConsumerGroupMemberMetadataKey, layouts.ConsumerGroupMemberMetadataValue),
        _put,
    ),
    records.ASSIGNMENT_EPOCH: Effect(
        Layouts(
            layouts.ConsumerGroupTargetAssignmentMetadataKey,
            layouts.ConsumerGroupTargetAssignmentMetadataValue,
        ),
        _assignment_epoch,
    ),
    records.TARGET: Effect(
        Layouts(
            layouts.ConsumerGroupTargetAssignmentMemberKey,
            layouts.ConsumerGroupTargetAssignmentMemberValue,
        ),
        _aim,
    ),
    records.CURRENT: Effect(
        Layouts(
            layouts.ConsumerGroupCurrentMemberAssignmentKey,
            layouts.ConsumerGroupCurrentMemberAssignmentValue,
        ),
        _move,
    ),
    records.REGEX: Effect(
        Layouts(
            layouts.ConsumerGroupRegularExpressionKey, layouts.ConsumerGroupRegularExpressionValue
        ),
        _resolve,
    ),
}


def _remove(groups: dict[str, ConsumerGroup], group: ConsumerGroup, of: Any) -> None:
    match of:
        case layouts.ConsumerGroupMetadataKey():
            del groups[of.group_id]
        case layouts.ConsumerGroupMemberMetadataKey():
            group.drop(of.member_id)
        case layouts.ConsumerGroupTargetAssignmentMetadataKey():
            group.assignment_epoch = group.assigned_at_ms = 0
        case layouts.ConsumerGroupTargetAssignmentMemberKey():
            group.target.pop(of.member_id, None)
        case layouts.ConsumerGroupCurrentMemberAssignmentKey():
            if of.member_id in group.members:
                nothing = layouts.ConsumerGroupCurrentMemberAssignmentValue(
                    member_epoch=0,
                    previous_member_epoch=0,
                    state=ConsumerMemberState.STABLE,
                    assigned_partitions=[],
                    partitions_pending_revocation=[],
                )
                _move(group, of, nothing)
        case layouts.ConsumerGroupRegularExpressionKey():
            group.regexes.pop(of.regular_expression, None)
        case _:
            raise AssertionError("keys of other kinds are not read")


def _undo_of(group: ConsumerGroup, of: Any) -> Undo | None:
    member_id, volatile = getattr(of, "member_id", None), group.volatile
    if member_id is not None:
        rest = restore_entries(member_id, group.target, volatile.sessions, volatile.limits)
        return partial(_become, group, member_id, group.members.get(member_id), rest)
    if isinstance(of, layouts.ConsumerGroupRegularExpressionKey):
        return restore_entries(of.regular_expression, group.regexes)
    return None


def _become(group: ConsumerGroup, member_id: str, was: ConsumerMember | None, rest: Undo) -> None:
    if was is None:
        group.drop(member_id)
    else:
        group.put(was)
    rest()


def _member(group: ConsumerGroup, member_id: str) -> ConsumerMember:
    return group.members.get(member_id) or ConsumerMember(member_id=member_id)


def _updated(
    member: ConsumerMember, value: layouts.ConsumerGroupMemberMetadataValue
) -> ConsumerMember:
    classic = value.classic_member_metadata
    return replace(
        member,
        instance_id=value.instance_id,
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        topics=tuple(value.subscribed_topic_names),
        regex=value.subscribed_topic_regex or "",
        rebalance_timeout_ms=value.rebalance_timeout_ms,
        assignor=value.server_assignor,
        classic=None if classic is None else _classic(classic),
    )


def _classic(value: layouts.ClassicMemberMetadata) -> ClassicSide:
    protocols = ((one.name, one.metadata) for one in value.supported_protocols)
    return ClassicSide(value.session_timeout_ms, tuple(protocols))


def _moved(
    member: ConsumerMember, value: layouts.ConsumerGroupCurrentMemberAssignmentValue
) -> ConsumerMember:
    known = set(ConsumerMemberState)
    return replace(
        member,
        epoch=value.member_epoch,
        previous_epoch=value.previous_member_epoch,
        state=ConsumerMemberState(value.state)
        if value.state in known
        else ConsumerMemberState.UNKNOWN,
        assigned=_partitions(value.assigned_partitions, value.member_epoch),
        revoking=_partitions(value.partitions_pending_revocation, value.member_epoch),
    )


def _partitions(
    topics: Iterable[layouts.CurrentPartitions], member_epoch: int
) -> dict[TopicIdPartition, int]:
    """Before Kafka 4.3, records had no epoch per partition: then it is the member's epoch."""
    partitions = {}
    for one in topics:
        epochs = one.assignment_epochs or [member_epoch] * len(one.partitions)
        if len(epochs) != len(one.partitions):
            raise DecodeError("value.assignment_epochs", 0, "one for each partition")
        for partition, epoch in zip(one.partitions, epochs, strict=True):
            partitions[TopicIdPartition(bytes(one.topic_id), partition)] = epoch
    return partitions


replay: GroupReplay[ConsumerGroup] = GroupReplay(ConsumerGroup, _EFFECTS, _remove, _undo_of)
