"""ConsumerMember: one member of a consumer group, with its subscription and its assignment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from barnabas.coordinators.classic_group.member import Protocols
from barnabas.coordinators.common.topic_partitions import TopicIdPartition

JOINS = 0
"""The epoch of a member that joins."""
LEAVES = -1
"""The epoch of a member that leaves."""
LEAVES_FOR_A_WHILE = -2
"""The epoch of a static member that leaves and will be back under another id."""

NOTHING: Mapping[TopicIdPartition, int] = {}


class ConsumerMemberState(IntEnum):
    """How far a member has followed its target assignment. The numbers are those of the records."""

    STABLE = 0
    """It has all that it is to have."""
    UNREVOKED = 1
    """It has something that it is to give back first."""
    UNRELEASED = 2
    """It waits for others to give something back."""
    UNKNOWN = 127
    """A record of a later Kafka has another value: it starts again."""


@dataclass(frozen=True, slots=True)
class ClassicSide:
    """A member's JoinGroup data, if it uses that instead of heartbeats (KIP-848, upgrade)."""

    session_timeout_ms: int
    protocols: Protocols


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerMember:
    """One member. `regex` is empty without one.

    `assigned` and `revoking` have the epoch since which it owns each partition: a commit of that
    epoch or later counts, even if the member has advanced since (KIP-1251).
    """

    member_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    topics: tuple[str, ...] = ()
    regex: str = ""
    rebalance_timeout_ms: int = -1
    assignor: str | None = None
    classic: ClassicSide | None = None
    epoch: int = JOINS
    previous_epoch: int = JOINS
    state: ConsumerMemberState = ConsumerMemberState.STABLE
    assigned: Mapping[TopicIdPartition, int] = field(default_factory=dict)
    revoking: Mapping[TopicIdPartition, int] = field(default_factory=dict)

    def follows(self, epoch: int) -> bool:
        """Whether it has all that was assigned in that epoch."""
        return self.state is ConsumerMemberState.STABLE and self.epoch == epoch

    def has_all_of(self, owned: frozenset[TopicIdPartition] | None) -> bool:
        """Whether it owns all partitions that it reports."""
        return owned is not None and owned <= self.assigned.keys()
