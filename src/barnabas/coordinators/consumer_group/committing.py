"""Which commits and offset fetches a consumer group accepts.

Source: KIP-848 and KIP-1251; Kafka's ConsumerGroup.validateOffsetCommit, validateOffsetFetch.
"""

from barnabas.coordinators.common.topic_partitions import Place
from barnabas.coordinators.consumer_group.group import ConsumerGroup
from barnabas.coordinators.consumer_group.member import ConsumerMember
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import Position
from barnabas.errors import ErrorCode


def refused_positions(group: ConsumerGroup, asked: Commit) -> dict[Position, ErrorCode]:
    """The positions that are not to be kept, and why."""
    nobody = not asked.who.member_id and asked.who.instance_id is None
    if asked.generation < 0 and (not group.members or (asked.in_transaction and nobody)):
        return {}
    member = group.members.get(asked.who.member_id)
    if member is None:
        return dict.fromkeys(asked.offsets, ErrorCode.UNKNOWN_MEMBER_ID)
    if member.classic is None and not asked.knows_epochs:
        return dict.fromkeys(asked.offsets, ErrorCode.UNSUPPORTED_VERSION)
    stale = _stale(member)
    if asked.generation > member.epoch:
        return dict.fromkeys(asked.offsets, stale)
    if asked.generation == member.epoch:
        return {}
    return {
        position: stale
        for position, committed in asked.offsets.items()
        if not _was_its(member, Place(committed.topic_id, position.partition), asked.generation)
    }


def _was_its(member: ConsumerMember, place: Place, epoch: int) -> bool:
    """Whether a partition that a member has was already its own in an earlier epoch."""
    had_since = member.assigned.get(place, member.revoking.get(place))
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
