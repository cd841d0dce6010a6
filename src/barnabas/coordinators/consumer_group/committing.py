"""Which commits and offset fetches a consumer group accepts.

Source: KIP-848 and KIP-1251; Kafka's ConsumerGroup.validateOffsetCommit, validateOffsetFetch.
"""

from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.member import ConsumerMember
from barnabas.coordinators.offsets.commit import Commit
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition


def refused_positions(group: ConsumerGroup, request: Commit) -> dict[TopicPartition, ErrorCode]:
    """The positions that are not to be kept, and why."""
    nobody = not request.who.member_id and request.who.instance_id is None
    if request.generation < 0 and (not group.members or (request.in_transaction and nobody)):
        return {}
    member = group.members.get(request.who.member_id)
    if member is None:
        return dict.fromkeys(request.offsets, ErrorCode.UNKNOWN_MEMBER_ID)
    if member.classic is None and not request.knows_epochs:
        return dict.fromkeys(request.offsets, ErrorCode.UNSUPPORTED_VERSION)
    stale = _stale(member)
    if request.generation > member.epoch:
        return dict.fromkeys(request.offsets, stale)
    if request.generation == member.epoch:
        return {}
    return {
        position: stale
        for position, committed in request.offsets.items()
        if not _was_its(
            member, TopicIdPartition(committed.topic_id, position.partition), request.generation
        )
    }


def _was_its(member: ConsumerMember, topic_partition: TopicIdPartition, epoch: int) -> bool:
    """Whether a partition that a member has was already its own in an earlier epoch."""
    had_since = member.assigned.get(topic_partition, member.revoking.get(topic_partition))
    return had_since is not None and had_since <= epoch


def fetch_refusal(group: ConsumerGroup, member_id: str | None, epoch: int) -> ErrorCode:
    """Why a member must not fetch offsets; a request without a member may."""
    if member_id is None and epoch < 0:
        return ErrorCode.NONE
    member = group.members.get(member_id or "")
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return ErrorCode.NONE if epoch == member.epoch else _stale(member)


def _stale(member: ConsumerMember) -> ErrorCode:
    classic = member.classic is not None
    return ErrorCode.ILLEGAL_GENERATION if classic else ErrorCode.STALE_MEMBER_EPOCH
