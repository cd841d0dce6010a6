"""Commit: a request to save positions of a group, and whether the sender may."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from barnabas.coordinators.classic_group.group_states import COMPLETING_REBALANCE, EMPTY
from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.offsets.offset_records import CommittedOffset, Position
from barnabas.errors import ErrorCode

if TYPE_CHECKING:
    from barnabas.coordinators.classic_group.group import ClassicGroup

NO_GENERATION = -1


class Commit(NamedTuple):
    """A request to save positions of a group. `generation` -1: from outside the membership."""

    group_id: str
    who: Identity
    generation: int
    offsets: Mapping[Position, CommittedOffset]
    unknown_group_error: ErrorCode
    """The error for a member of a missing group; it depends on the request's version."""
    in_transaction: bool = False
    """Whether they take effect when a transaction commits; its producer need not name a member (KIP-447)."""
    knows_epochs: bool = True
    """Whether the client knows what the epoch of a member is (KIP-848)."""


def commit_refusal(
    group: "ClassicGroup | None", asked: Commit, *, has_offsets: Callable[[str], bool]
) -> ErrorCode | None:
    """Why the positions must not be saved. `has_offsets`: whether a group has any, if nothing else.

    From outside, only a group without members accepts offsets. Source: Kafka's
    OffsetMetadataManager.validateOffsetCommit and ClassicGroup's.
    """
    from_outside = asked.generation <= NO_GENERATION
    if group is None or group.state is EMPTY:
        if from_outside:
            return None
        is_there = group is not None or has_offsets(asked.group_id)
        return ErrorCode.UNKNOWN_MEMBER_ID if is_there else asked.unknown_group_error
    nobody = not asked.who.member_id and asked.who.instance_id is None
    if asked.in_transaction and from_outside and nobody:
        return None
    refused = group.refusal(asked.who)
    if refused is not None:
        return refused
    if asked.generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    amid = group.state is COMPLETING_REBALANCE and not asked.in_transaction
    return ErrorCode.REBALANCE_IN_PROGRESS if amid else None
