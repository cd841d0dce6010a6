"""ConsumerGroup: one group as its records define it, and its state while the broker runs.

Everything but `volatile` changes only by applying records (see `replaying`). Source: KIP-848;
Kafka's ConsumerGroup.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from barnabas.coordinators.classic_group.protocols import ProtocolSupport
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.member import (
    NOTHING,
    ConsumerMember,
    ConsumerMemberState,
)


class ConsumerGroupState(Enum):
    """The state of a group; the values are Kafka's names."""

    EMPTY = "Empty"
    """No members."""
    ASSIGNING = "Assigning"
    """Something has changed since the last assignment was made."""
    RECONCILING = "Reconciling"
    """Not all members have what they are to have."""
    STABLE = "Stable"
    """All members have what they are to have."""


@dataclass(frozen=True, slots=True)
class ResolvedRegex:
    """The topics that a regular expression matched, with the version of the topics and the time."""

    topics: frozenset[str]
    version: int
    at_ms: int


@dataclass(slots=True)
class VolatileState:
    """State without records. Times in milliseconds.

    `sessions`: when a member's session ends. `limits`: a member's deadline for a revocation, a
    rejoin or a sync. `topics_seen`: the version of the topics that the group was last compared
    with.
    """

    sessions: dict[str, int] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    topics_seen: int = -1

    def forget(self, member_id: str) -> None:
        """Drop the state of a member that left."""
        self.sessions.pop(member_id, None)
        self.limits.pop(member_id, None)


@dataclass(slots=True)
class ConsumerGroup:
    """One group. `owners`: the owner of each partition, also while it is being revoked."""

    group_id: str
    epoch: int = 0
    metadata_hash: int = 0
    assignment_epoch: int = 0
    assigned_at_ms: int = 0
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)
    target: dict[str, frozenset[TopicIdPartition]] = field(default_factory=dict)
    regexes: dict[str, ResolvedRegex] = field(default_factory=dict)
    owners: dict[TopicIdPartition, str] = field(default_factory=dict)
    supporters: ProtocolSupport = field(
        default_factory=ProtocolSupport, init=False, repr=False, compare=False
    )
    """Of the protocols of members that use JoinGroup."""
    volatile: VolatileState = field(default_factory=VolatileState)

    @property
    def parts(self) -> tuple[object, ...]:
        """The objects whose attributes an undo restores."""
        return self, self.volatile

    @property
    def state(self) -> ConsumerGroupState:
        """Its state."""
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        if all(one.follows(self.assignment_epoch) for one in self.members.values()):
            return ConsumerGroupState.STABLE
        return ConsumerGroupState.RECONCILING

    def put(self, member: ConsumerMember) -> None:
        """Add or replace a member."""
        was = self.members.get(member.member_id)
        self._release(was)
        self._unname(was)
        self._count(was, member)
        self.members[member.member_id] = member
        if member.instance_id is not None:
            self.instances[member.instance_id] = member.member_id
        for topic_partition in (*member.assigned, *member.revoking):
            self.owners[topic_partition] = member.member_id

    def drop(self, member_id: str) -> None:
        """Remove a member."""
        member = self.members.pop(member_id, None)
        self._count(member, None)
        self._release(member)
        self.volatile.forget(member_id)
        self._unname(member)

    def _count(self, was: ConsumerMember | None, now: ConsumerMember | None) -> None:
        before = None if was is None else was.classic
        after = None if now is None else now.classic
        if before is after:
            return
        if before is not None:
            self.supporters.remove(before.protocols)
        if after is not None:
            self.supporters.add(after.protocols)

    def _release(self, member: ConsumerMember | None) -> None:
        if member is None:
            return
        for topic_partition in (*member.assigned, *member.revoking):
            if self.owners.get(topic_partition) == member.member_id:
                del self.owners[topic_partition]

    def _unname(self, member: ConsumerMember | None) -> None:
        if member is None or member.instance_id is None:
            return
        if self.instances.get(member.instance_id) == member.member_id:
            del self.instances[member.instance_id]

    def topics_of(self, member: ConsumerMember) -> frozenset[str]:
        """The topics that a member subscribes to, by name or by expression."""
        found = self.regexes.get(member.regex) if member.regex else None
        return frozenset(member.topics) | (found.topics if found else frozenset())

    def subscribed(self) -> set[str]:
        """All topics that a member subscribes to."""
        return {name for member, _ in self.members_alike() for name in self.topics_of(member)}

    def members_alike(self) -> list[tuple[ConsumerMember, list[str]]]:
        """Members that subscribe to the same: one of them, and the names of all."""
        found: dict[object, tuple[ConsumerMember, list[str]]] = {}
        for name, member in self.members.items():
            found.setdefault((member.topics, member.regex), (member, []))[1].append(name)
        return list(found.values())

    def unused_regexes(self) -> list[str]:
        """Expressions that no member uses any more."""
        used = {member.regex for member in self.members.values()}
        return sorted(self.regexes.keys() - used)

    def preferred_assignor(self) -> str | None:
        """The assignor that most members request; None if none does."""
        votes: dict[str, int] = {}
        for member in self.members.values():
            if member.assignor is not None:
                votes[member.assignor] = votes.get(member.assignor, 0) + 1
        return max(votes, key=votes.__getitem__) if votes else None

    def waits_for_others(self, member: ConsumerMember) -> bool:
        """Whether a part of its assignment still belongs to another member."""
        wanted = self.target.get(member.member_id, frozenset()) - member.assigned.keys()
        return member.state is ConsumerMemberState.UNRELEASED and any(
            topic_partition in self.owners for topic_partition in wanted
        )

    def only_classic_without(self, gone: Iterable[str]) -> bool:
        """Whether, without these, members remain and all of them use JoinGroup."""
        without = frozenset(gone)
        left = [one for name, one in self.members.items() if name not in without]
        return bool(left) and all(one.classic is not None for one in left)


def since(
    partitions: Iterable[TopicIdPartition], known: Mapping[TopicIdPartition, int], epoch: int
) -> dict[TopicIdPartition, int]:
    """These partitions with the epoch of their ownership: `epoch` for those not in `known`."""
    known = known or NOTHING
    return {topic_partition: known.get(topic_partition, epoch) for topic_partition in partitions}
