"""StreamsMember: one member of a streams group, with its process and its tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from barnabas.coordinators.consumer_group.member import JOINS
from barnabas.coordinators.streams_group.tasks import Task

NOTHING: Mapping[Task, int] = {}


class StreamsMemberState(IntEnum):
    """How far a member has followed its target assignment. The numbers are those of the records."""

    STABLE = 1
    """It has all that it is to do."""
    UNREVOKED = 2
    """It has something that it is to give back first."""
    UNRELEASED = 3
    """It waits for others to give something back."""
    UNKNOWN = 127
    """A record of a later Kafka has another value: it starts again."""


class MemberEndpoint(NamedTuple):
    """Where other members reach one for queries."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsMember:
    """One member. Members of one process share its memory and disk.

    `assigned` and `revoking` have the epoch since which it owns each task; records store it for
    active tasks, whose offsets it may commit from that epoch on (KIP-1251).
    """

    member_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = -1
    process_id: str = ""
    endpoint: MemberEndpoint | None = None
    tags: tuple[tuple[str, str], ...] = ()
    epoch: int = JOINS
    previous_epoch: int = JOINS
    state: StreamsMemberState = StreamsMemberState.STABLE
    assigned: Mapping[Task, int] = field(default_factory=dict)
    revoking: Mapping[Task, int] = field(default_factory=dict)

    def follows(self, epoch: int) -> bool:
        """Whether it has all tasks that were assigned in that epoch."""
        return self.state is StreamsMemberState.STABLE and self.epoch == epoch
