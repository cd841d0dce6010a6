"""Consumer groups as records of __consumer_offsets: the meaning of each record.

Source: Kafka's GroupCoordinatorRecordHelpers.
"""

from collections.abc import Mapping

from barnabas.coordinators.common.record_kinds import encode_record
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.common.topic_partitions import TopicIdPartition, by_topic
from barnabas.coordinators.consumer_group.group import ResolvedRegex
from barnabas.coordinators.consumer_group.member import ClassicSide, ConsumerMember
from barnabas.protocol.internal import consumer_group_records as layouts

EPOCH, MEMBER, ASSIGNMENT_EPOCH, TARGET, CURRENT, REGEX = 3, 5, 6, 7, 8, 16


def epoch_record(group_id: str, epoch: int, metadata_hash: int) -> CoordinatorRecord:
    """A group reached an epoch, with topics of that hash."""
    value = layouts.ConsumerGroupMetadataValue(epoch=epoch, metadata_hash=metadata_hash)
    return encode_record(EPOCH, layouts.ConsumerGroupMetadataKey(group_id=group_id), value)


def no_group(group_id: str) -> CoordinatorRecord:
    """A group is deleted."""
    return encode_record(EPOCH, layouts.ConsumerGroupMetadataKey(group_id=group_id), None)


def member_record(group_id: str, member: ConsumerMember) -> CoordinatorRecord:
    """A member's own data."""
    value = layouts.ConsumerGroupMemberMetadataValue(
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.topics),
        subscribed_topic_regex=member.regex,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        server_assignor=member.assignor,
        classic_member_metadata=None if member.classic is None else _classic(member.classic),
    )
    return encode_record(MEMBER, _member_key(group_id, member.member_id), value)


def _classic(classic: ClassicSide) -> layouts.ClassicMemberMetadata:
    return layouts.ClassicMemberMetadata(
        session_timeout_ms=classic.session_timeout_ms,
        supported_protocols=[
            layouts.ClassicProtocol(name=name, metadata=metadata)
            for name, metadata in classic.protocols
        ],
    )


def no_member(group_id: str, member_id: str) -> CoordinatorRecord:
    """A member was removed."""
    return encode_record(MEMBER, _member_key(group_id, member_id), None)


def _member_key(group_id: str, member_id: str) -> object:
    return layouts.ConsumerGroupMemberMetadataKey(group_id=group_id, member_id=member_id)


def assignment_epoch_record(group_id: str, epoch: int, at_ms: int) -> CoordinatorRecord:
    """The assignment of an epoch is complete."""
    key = layouts.ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id)
    value = layouts.ConsumerGroupTargetAssignmentMetadataValue(
        assignment_epoch=epoch, assignment_timestamp=at_ms
    )
    return encode_record(ASSIGNMENT_EPOCH, key, value)


def no_assignment_epoch(group_id: str) -> CoordinatorRecord:
    """There is no assignment."""
    key = layouts.ConsumerGroupTargetAssignmentMetadataKey(group_id=group_id)
    return encode_record(ASSIGNMENT_EPOCH, key, None)


def target_record(
    group_id: str, member_id: str, partitions: frozenset[TopicIdPartition]
) -> CoordinatorRecord:
    """A member's target assignment."""
    key = layouts.ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id)
    value = layouts.ConsumerGroupTargetAssignmentMemberValue(
        topic_partitions=[
            layouts.TargetPartitions(topic_id=topic_id, partitions=partitions)
            for topic_id, partitions in by_topic(partitions).items()
        ]
    )
    return encode_record(TARGET, key, value)


def no_target(group_id: str, member_id: str) -> CoordinatorRecord:
    """A member has no target assignment."""
    key = layouts.ConsumerGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id)
    return encode_record(TARGET, key, None)


def current_record(group_id: str, member: ConsumerMember) -> CoordinatorRecord:
    """A member's current assignment, and what it must revoke."""
    value = layouts.ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=member.state,
        assigned_partitions=_current(member.assigned),
        partitions_pending_revocation=_current(member.revoking),
    )
    return encode_record(CURRENT, _current_key(group_id, member.member_id), value)


def no_current(group_id: str, member_id: str) -> CoordinatorRecord:
    """A member has no current assignment."""
    return encode_record(CURRENT, _current_key(group_id, member_id), None)


def _current_key(group_id: str, member_id: str) -> object:
    return layouts.ConsumerGroupCurrentMemberAssignmentKey(group_id=group_id, member_id=member_id)


def _current(epochs: Mapping[TopicIdPartition, int]) -> list[layouts.CurrentPartitions]:
    return [
        layouts.CurrentPartitions(
            topic_id=topic_id,
            partitions=partitions,
            assignment_epochs=[epochs[TopicIdPartition(topic_id, one)] for one in partitions],
        )
        for topic_id, partitions in by_topic(epochs).items()
    ]


def regex_record(group_id: str, regex: str, found: ResolvedRegex) -> CoordinatorRecord:
    """The topics that an expression matches."""
    value = layouts.ConsumerGroupRegularExpressionValue(
        topics=sorted(found.topics), version=found.version, timestamp=found.at_ms
    )
    return encode_record(REGEX, _regex_key(group_id, regex), value)


def no_regex(group_id: str, regex: str) -> CoordinatorRecord:
    """No member uses the expression."""
    return encode_record(REGEX, _regex_key(group_id, regex), None)


def _regex_key(group_id: str, regex: str) -> object:
    return layouts.ConsumerGroupRegularExpressionKey(group_id=group_id, regular_expression=regex)
