"""Which commits and offset fetches a streams group accepts.

Source: KIP-1071; Kafka's StreamsGroup.validateOffsetCommit, validateOffsetFetch.
"""

from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.tasks import Role, Task
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition


def refused_positions(group: StreamsGroup, request: Commit) -> dict[TopicPartition, ErrorCode]:
    """The positions that are not to be kept, and why."""
    nobody = not request.who.member_id and request.who.instance_id is None
    if request.generation < 0 and (not group.members or (request.in_transaction and nobody)):
        return {}
    member = group.members.get(request.who.member_id)
    if member is None:
        return dict.fromkeys(request.offsets, ErrorCode.UNKNOWN_MEMBER_ID)
    if not request.in_transaction and not request.knows_epochs:
        return dict.fromkeys(request.offsets, ErrorCode.UNSUPPORTED_VERSION)
    if request.generation == member.epoch:
        return {}
    has = {} if request.generation > member.epoch else {**member.revoking, **member.assigned}
    return {
        position: ErrorCode.STALE_MEMBER_EPOCH
        for position in request.offsets
        if has.get(_task(group, position), request.generation + 1) > request.generation
    }


def _task(group: StreamsGroup, position: TopicPartition) -> Task:
    """The task that reads a partition; an unassigned one if none does."""
    assert group.topology is not None, "a group with members has one"
    name = group.topology.by_source.get(position.topic, "")
    return Task(Role.ACTIVE, name, position.partition)


def fetch_refusal(group: StreamsGroup, member_id: str | None, epoch: int) -> ErrorCode:
    """Why a member must not fetch offsets; a request without a member may."""
    if member_id is None and epoch < 0:
        return ErrorCode.NONE
    member = group.members.get(member_id or "")
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return ErrorCode.NONE if epoch == member.epoch else ErrorCode.STALE_MEMBER_EPOCH
