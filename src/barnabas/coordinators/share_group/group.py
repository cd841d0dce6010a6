"""ShareGroup: one share group as its records define it, and its state while the broker runs.

Source: KIP-932; Kafka's ShareGroup. Its states are those of a consumer group without reconciling.
"""

from dataclasses import dataclass, field

from barnabas.coordinators.common.topic_partitions import TopicIdPartition


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareMember:
    """One member. Several members may have one partition."""

    member_id: str
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    topics: tuple[str, ...] = ()
    epoch: int = 0
    previous_epoch: int = 0
    assigned: frozenset[TopicIdPartition] = frozenset()


@dataclass(slots=True)
class ShareGroup:
    """One group. `read`: the partitions whose progress is stored, by topic.

    `sessions`, in milliseconds, and `topics_seen` have no records.
    """

    group_id: str
    epoch: int = 0
    metadata_hash: int = 0
    assignment_epoch: int = 0
    assigned_at_ms: int = 0
    members: dict[str, ShareMember] = field(default_factory=dict)
    target: dict[str, frozenset[TopicIdPartition]] = field(default_factory=dict)
    read: frozenset[TopicIdPartition] = frozenset()
    sessions: dict[str, int] = field(default_factory=dict)
    topics_seen: int = -1

    @property
    def parts(self) -> tuple[object, ...]:
        """The objects whose attributes an undo restores."""
        return (self,)

    @property
    def state(self) -> str:
        """Its state, by Kafka's name."""
        return "Stable" if self.members else "Empty"

    def subscribed(self) -> set[str]:
        """All topics that a member subscribes to."""
        return {name for member in self.members.values() for name in member.topics}
