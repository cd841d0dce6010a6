"""Which commits and offset fetches a streams group accepts.

Source: KIP-1071; Kafka's StreamsGroup.validateOffsetCommit, validateOffsetFetch.
"""

from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import Position
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.tasks import Role, Task
from barnabas.errors import ErrorCode


def refused_positions(group: StreamsGroup, asked: Commit) -> dict[Position, ErrorCode]:
    """The positions that are not to be kept, and why."""
    nobody = not asked.who.member_id and asked.who.instance_id is None
    if asked.generation < 0 and (not group.members or (asked.in_transaction and nobody)):
        return {}
    member = group.members.get(asked.who.member_id)
    if member is None:
        return dict.fromkeys(asked.offsets, ErrorCode.UNKNOWN_MEMBER_ID)
    if not asked.in_transaction and not asked.knows_epochs:
        return dict.fromkeys(asked.offsets, ErrorCode.UNSUPPORTED_VERSION)
    if asked.generation == member.epoch:
        return {}
    has = {} if asked.generation > member.epoch else {**member.revoking, **member.assigned}
    return {
        position: ErrorCode.STALE_MEMBER_EPOCH
        for position in asked.offsets
        if has.get(_task(group, position), asked.generation + 1) > asked.generation
    }


def _task(group: StreamsGroup, position: Position) -> Task:
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
