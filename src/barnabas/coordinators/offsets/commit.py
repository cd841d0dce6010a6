"""Commit: a request to save offsets of a group, and the check whether its sender may."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from barnabas.coordinators.classic_group.group_states import COMPLETING_REBALANCE, EMPTY
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from barnabas.coordinators.classic_group.group import ClassicGroup

NO_GENERATION = -1


class Commit(NamedTuple):
    """A request to save offsets of a group. `generation` -1: the sender is not a member."""

    group_id: str
    who: Identity
    generation: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    unknown_group_error: ErrorCode
    """The error for a member of a missing group; it depends on the request's version."""
    in_transaction: bool = False
    """Whether they take effect when a transaction commits; its producer need not name a member (KIP-447)."""
    knows_epochs: bool = True
    """Whether the client knows what the epoch of a member is (KIP-848)."""


def commit_refusal(
    group: "ClassicGroup | None", request: Commit, *, has_offsets: Callable[[str], bool]
) -> ErrorCode | None:
    """Why the offsets must not be saved.

    `has_offsets`: whether a group has any, if nothing else. A client that is not a member may
    commit only for a group without members. Source: Kafka's
    OffsetMetadataManager.validateOffsetCommit and ClassicGroup's.
    """
    from_outside = request.generation <= NO_GENERATION
    if group is None or group.state is EMPTY:
        if from_outside:
            return None
        is_there = group is not None or has_offsets(request.group_id)
        return ErrorCode.UNKNOWN_MEMBER_ID if is_there else request.unknown_group_error
    nobody = not request.who.member_id and request.who.instance_id is None
    if request.in_transaction and from_outside and nobody:
        return None
    refused = group.refusal(request.who)
    if refused is not None:
        return refused
    if request.generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    amid = group.state is COMPLETING_REBALANCE and not request.in_transaction
    return ErrorCode.REBALANCE_IN_PROGRESS if amid else None
