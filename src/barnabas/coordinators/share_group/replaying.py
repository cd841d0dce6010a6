"""Apply records to share groups, which change nowhere else."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from barnabas.coordinators.common.group_replay import Effect, GroupReplay
from barnabas.coordinators.common.record_kinds import Layouts
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.common.undo import Undo, restore_entries
from barnabas.coordinators.share_group import records
from barnabas.coordinators.share_group.group import ShareGroup, ShareMember
from barnabas.protocol.internal import share_group_records as layouts


class _Topic(Protocol):
    topic_id: Any
    partitions: list[int]


def _partitions(topics: Iterable[_Topic]) -> frozenset[TopicIdPartition]:
    return frozenset(
        TopicIdPartition(bytes(one.topic_id), each) for one in topics for each in one.partitions
    )


def _member(group: ShareGroup, member_id: str) -> ShareMember:
    return group.members.get(member_id) or ShareMember(member_id=member_id)


def _put(
    group: ShareGroup,
    of: layouts.ShareGroupMemberMetadataKey,
    value: layouts.ShareGroupMemberMetadataValue,
) -> None:
    group.members[of.member_id] = replace(
        _member(group, of.member_id),
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        topics=tuple(value.subscribed_topic_names),
    )


def _epoch(group: ShareGroup, _of: object, value: layouts.ShareGroupMetadataValue) -> None:
    group.epoch, group.metadata_hash = value.epoch, value.metadata_hash


def _assignment_epoch(
    group: ShareGroup, _of: object, value: layouts.ShareGroupTargetAssignmentMetadataValue
) -> None:
    group.assignment_epoch = value.assignment_epoch
    group.assigned_at_ms = value.assignment_timestamp


def _aim(
    group: ShareGroup,
    of: layouts.ShareGroupTargetAssignmentMemberKey,
    value: layouts.ShareGroupTargetAssignmentMemberValue,
) -> None:
    group.target[of.member_id] = _partitions(value.topic_partitions)


def _move(
    group: ShareGroup,
    of: layouts.ShareGroupCurrentMemberAssignmentKey,
    value: layouts.ShareGroupCurrentMemberAssignmentValue,
) -> None:
    group.members[of.member_id] = replace(
        _member(group, of.member_id),
        epoch=value.member_epoch,
        previous_epoch=value.previous_member_epoch,
        assigned=_partitions(value.assigned_partitions),
    )


def _read(
    group: ShareGroup, _of: object, value: layouts.ShareGroupStatePartitionMetadataValue
) -> None:
    group.read = _partitions(value.initialized_topics)


_EFFECTS: Mapping[int, Effect] = {
    records.MEMBER: Effect(
        Layouts(layouts.ShareGroupMemberMetadataKey, layouts.ShareGroupMemberMetadataValue), _put
    ),
    records.EPOCH: Effect(
        Layouts(layouts.ShareGroupMetadataKey, layouts.ShareGroupMetadataValue), _epoch
    ),
    records.ASSIGNMENT_EPOCH: Effect(
        Layouts(
            layouts.ShareGroupTargetAssignmentMetadataKey,
            layouts.ShareGroupTargetAssignmentMetadataValue,
        ),
        _assignment_epoch,
    ),
    records.TARGET: Effect(
        Layouts(
            layouts.ShareGroupTargetAssignmentMemberKey,
            layouts.ShareGroupTargetAssignmentMemberValue,
        ),
        _aim,
    ),
    records.CURRENT: Effect(
        Layouts(
            layouts.ShareGroupCurrentMemberAssignmentKey,
            layouts.ShareGroupCurrentMemberAssignmentValue,
        ),
        _move,
    ),
    records.READ: Effect(
        Layouts(
            layouts.ShareGroupStatePartitionMetadataKey,
            layouts.ShareGroupStatePartitionMetadataValue,
        ),
        _read,
    ),
}


def _remove(groups: dict[str, ShareGroup], group: ShareGroup, of: Any) -> None:
    match of:
        case layouts.ShareGroupMetadataKey():
            del groups[of.group_id]
        case layouts.ShareGroupMemberMetadataKey():
            group.members.pop(of.member_id, None)
            group.sessions.pop(of.member_id, None)
        case layouts.ShareGroupTargetAssignmentMetadataKey():
            group.assignment_epoch = group.assigned_at_ms = 0
        case layouts.ShareGroupTargetAssignmentMemberKey():
            group.target.pop(of.member_id, None)
        case layouts.ShareGroupStatePartitionMetadataKey():
            group.read = frozenset()
        case _:
            pass  # What a member had goes with the member.


def _undo_of(group: ShareGroup, of: Any) -> Undo | None:
    member_id = getattr(of, "member_id", None)
    if member_id is None:
        return None
    return restore_entries(member_id, group.members, group.target, group.sessions)


replay: GroupReplay[ShareGroup] = GroupReplay(ShareGroup, _EFFECTS, _remove, _undo_of)
