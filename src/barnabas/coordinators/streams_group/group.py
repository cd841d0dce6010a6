"""StreamsGroup: one group as its records define it, and its state while the broker runs.

Everything but `volatile` changes only by applying records (see `replaying`). Source: KIP-1071;
Kafka's StreamsGroup.
"""

from dataclasses import dataclass, field

from barnabas.coordinators.streams_group.configuring import Configured
from barnabas.coordinators.streams_group.member import StreamsMember
from barnabas.coordinators.streams_group.tasks import Task, Tasks
from barnabas.coordinators.streams_group.topology import Topology

BEFORE_THE_FIRST = 1
"""The first epoch is 2, so that no member ever was in the one before it. Source: Kafka 4.3."""


@dataclass(slots=True)
class StreamsVolatileState:
    """State without records. Times in milliseconds.

    `sessions`: when a member's session ends; `limits`: a member's deadline for a revocation.
    `topics_seen`: the version of the topics used for `configured`. `delayed_until`: no assignment
    before this time, because more members may join. `standbys`: the number of standby tasks in the
    last assignment; None: unknown. `endpoints`: increases with changes of tasks of members with
    endpoints.
    """

    sessions: dict[str, int] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    topics_seen: int = -1
    configured: Configured | None = None
    delayed_until: int | None = None
    standbys: int | None = None
    shutdown_by: str | None = None
    endpoints: int = 0

    def forget(self, member_id: str) -> None:
        """Drop the state of a member that left."""
        self.sessions.pop(member_id, None)
        self.limits.pop(member_id, None)


@dataclass(slots=True)
class StreamsGroup:
    """One group. `validated`: the epoch of the topology whose topics all exist, or -1."""

    group_id: str
    epoch: int = BEFORE_THE_FIRST
    metadata_hash: int = 0
    validated: int = 0
    assignment_epoch: int = BEFORE_THE_FIRST
    assigned_at_ms: int = 0
    topology: Topology | None = None
    members: dict[str, StreamsMember] = field(default_factory=dict)
    target: dict[str, Tasks] = field(default_factory=dict)
    volatile: StreamsVolatileState = field(default_factory=StreamsVolatileState)

    @property
    def parts(self) -> tuple[object, ...]:
        """The objects whose attributes an undo restores."""
        return self, self.volatile

    @property
    def state(self) -> str:
        """Its state, by Kafka's name."""
        if not self.members:
            return "Empty"
        if self.topology is None or self.topology.epoch != self.validated:
            return "NotReady"
        if self.epoch > self.assignment_epoch:
            return "Assigning"
        follow = all(one.follows(self.assignment_epoch) for one in self.members.values())
        return "Stable" if follow else "Reconciling"

    def drop(self, member_id: str) -> None:
        """Remove a member."""
        self.members.pop(member_id, None)
        self.volatile.forget(member_id)
        if not self.members:
            self.volatile.shutdown_by = None

    def holders(self) -> dict[Task, set[str]]:
        """The processes that have each task, even while they revoke it."""
        found: dict[Task, set[str]] = {}
        for member in self.members.values():
            for task in (*member.assigned, *member.revoking):
                found.setdefault(task, set()).add(member.process_id)
        return found

    def subscribed(self) -> set[str]:
        """The topics that members read."""
        return set(self.topology.by_source) if self.topology and self.members else set()
