"""Share groups as records of __consumer_offsets. Source: Kafka's GroupCoordinatorRecordHelpers."""

from collections.abc import Callable

from barnabas.coordinators.common.record_kinds import encode_record
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, by_topic
from barnabas.coordinators.share_group.group import ShareGroup, ShareMember
from barnabas.protocol.internal import share_group_records as layouts

MEMBER, EPOCH, ASSIGNMENT_EPOCH, TARGET, CURRENT, READ = 10, 11, 12, 13, 14, 15


def member_record(group_id: str, member: ShareMember) -> CoordinatorRecord:
    """A member's own data."""
    key = layouts.ShareGroupMemberMetadataKey(group_id=group_id, member_id=member.member_id)
    value = layouts.ShareGroupMemberMetadataValue(
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.topics),
    )
    return encode_record(MEMBER, key, value)


def epoch_record(group_id: str, epoch: int, metadata_hash: int) -> CoordinatorRecord:
    """A group reached an epoch, with topics of that hash."""
    value = layouts.ShareGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash)
    return encode_record(EPOCH, layouts.ShareGroupMetadataKey(group_id=group_id), value)


def assignment_epoch_record(group_id: str, epoch: int, at_ms: int) -> CoordinatorRecord:
    """The assignment of an epoch is complete."""
    value = layouts.ShareGroupTargetAssignmentMetadataValue(
        assignment_epoch=epoch, assignment_timestamp=at_ms
    )
    key = layouts.ShareGroupTargetAssignmentMetadataKey(group_id=group_id)
    return encode_record(ASSIGNMENT_EPOCH, key, value)


def target_record(
    group_id: str, member_id: str, partitions: frozenset[TopicIdPartition]
) -> CoordinatorRecord:
    """A member's target assignment."""
    key = layouts.ShareGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id)
    value = layouts.ShareGroupTargetAssignmentMemberValue(
        topic_partitions=[
            layouts.TargetPartitions(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in by_topic(partitions).items()
        ]
    )
    return encode_record(TARGET, key, value)


def current_record(group_id: str, member: ShareMember) -> CoordinatorRecord:
    """A member's current assignment."""
    key = layouts.ShareGroupCurrentMemberAssignmentKey(
        group_id=group_id, member_id=member.member_id
    )
    value = layouts.ShareGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=0,
        assigned_partitions=[
            layouts.CurrentPartitions(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in by_topic(member.assigned).items()
        ],
    )
    return encode_record(CURRENT, key, value)


def read_record(
    group_id: str, partitions: frozenset[TopicIdPartition], name_of: Callable[[bytes], str | None]
) -> CoordinatorRecord:
    """The partitions whose progress is stored; deleted topics are omitted."""
    found = [(name_of(each), each, partitions) for each, partitions in by_topic(partitions).items()]
    value = layouts.ShareGroupStatePartitionMetadataValue(
        initializing_topics=[],
        initialized_topics=[
            layouts.StatePartitions(topic_id=topic_id, topic_name=name, partitions=partitions)
            for name, topic_id, partitions in found
            if name is not None
        ],
        deleting_topics=[],
    )
    key = layouts.ShareGroupStatePartitionMetadataKey(group_id=group_id)
    return encode_record(READ, key, value)


def without_member(group_id: str, member_id: str) -> list[CoordinatorRecord]:
    """The records that remove a member."""
    names = {"group_id": group_id, "member_id": member_id}
    return [
        encode_record(CURRENT, layouts.ShareGroupCurrentMemberAssignmentKey(**names), None),
        encode_record(TARGET, layouts.ShareGroupTargetAssignmentMemberKey(**names), None),
        encode_record(MEMBER, layouts.ShareGroupMemberMetadataKey(**names), None),
    ]


def without_group(group: ShareGroup) -> list[CoordinatorRecord]:
    """The records that remove a group."""
    name = group.group_id
    gone = [one for member in sorted(group.members) for one in without_member(name, member)]
    assigned = layouts.ShareGroupTargetAssignmentMetadataKey(group_id=name)
    read = layouts.ShareGroupStatePartitionMetadataKey(group_id=name)
    return [
        *gone,
        encode_record(ASSIGNMENT_EPOCH, assigned, None),
        encode_record(READ, read, None),
        encode_record(EPOCH, layouts.ShareGroupMetadataKey(group_id=name), None),
    ]
