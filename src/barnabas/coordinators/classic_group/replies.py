"""The results of a step of a group: responses, and a record to write.

The group does not know how responses are sent: a `Waiter` is an opaque value of the caller.
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
    """The response to a JoinGroup; only the leader gets `members`, and generation -1 stands for none."""

    error: ErrorCode
    member_id: str
    generation: int = -1
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str = ""
    skip_assignment: bool = False
    members: "Sequence[JoinGroupResponseMember]" = ()


class SyncReply(NamedTuple):
    """The response to a SyncGroup: the assignment as its leader wrote it; empty where there is an error."""

    error: ErrorCode
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: bytes = b""


Answer = tuple[Waiter, JoinReply | SyncReply]
"""A response and its recipient."""


@dataclass(slots=True)
class Effects:
    """What the caller must do after a step, in this order.

    1. `answers`: send each response. 2. `record`: append it; if there is a `ticket`, report the
    result to the group with it.
    """

    answers: list[Answer] = field(default_factory=list)
    record: CoordinatorRecord | None = None
    ticket: int | None = None

    def answer(self, waiter: Waiter | None, reply: JoinReply | SyncReply) -> None:
        """Add a response, if there is a recipient."""
        if waiter is not None:
            self.answers.append((waiter, reply))
