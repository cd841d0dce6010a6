"""What a step of a group comes to: who is answered what, which record is to be kept.

The group does not know how anybody is answered: a `Waiter` is whatever the caller gave it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.errors import ErrorCode

if TYPE_CHECKING:
    from barnabas.protocol.join_group import JoinGroupResponseMember

Waiter = object


class JoinReply(NamedTuple):
    """The answer to a join; `members` is for the leader alone."""

    error: ErrorCode
    member_id: str
    generation: int = -1
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str = ""
    skip_assignment: bool = False
    members: "Sequence[JoinGroupResponseMember]" = ()


class SyncReply(NamedTuple):
    """The answer to a sync: what the member is to do."""

    error: ErrorCode
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: bytes = b""


Answer = tuple[Waiter, JoinReply | SyncReply]
"""A reply and whom it is for."""


@dataclass(slots=True)
class Effects:
    """What the caller must do after a step, in this order.

    1. `answers`: give each reply.
    2. `record`: append it; if there is a `ticket`, tell the group with it what became of that.
    """

    answers: list[Answer] = field(default_factory=list)
    record: CoordinatorRecord | None = None
    ticket: int | None = None

    def answer(self, waiter: Waiter | None, reply: JoinReply | SyncReply) -> None:
        """Add an answer, if somebody waits for it."""
        if waiter is not None:
            self.answers.append((waiter, reply))
