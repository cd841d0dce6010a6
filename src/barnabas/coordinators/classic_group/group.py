"""ClassicGroup: members that assign partitions among themselves, and the group's state.

Data and queries only. The transitions are in `joining`, `rebalancing`, `syncing` and `leaving`:
functions of a group and the time. No clock, randomness or socket: a waiting request is an opaque
value, and the caller supplies times (in milliseconds) and ids.

Source: KIP-62, KIP-134, KIP-345, KIP-394; Kafka's GroupMetadataManager and ClassicGroup.
"""

from collections.abc import Generator
from dataclasses import dataclass, field

from barnabas.coordinators.classic_group.group_states import (
    EMPTY,
    TRANSITIONS,
    GroupInput,
    GroupState,
)
from barnabas.coordinators.classic_group.member import Identity, Member, Protocols
from barnabas.coordinators.classic_group.protocols import (
    CONSUMER,
    ProtocolSupport,
    names_of,
    read_by,
)
from barnabas.coordinators.classic_group.replies import JoinReply, SyncReply
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.errors import ErrorCode
from barnabas.protocol.join_group import JoinGroupResponseMember
from barnabas.types import new_tuple

_NONE = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class Assignments:
    """The assignments that a leader sent, by member id, until their record is written."""

    generation: int
    by_member: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A static member that rejoined under a new id, until the record of that is written.

    `was` and `now` are the member before and after; `reply` is the response to its JoinGroup.
    """

    was: Member
    now: Member
    reply: JoinReply


@dataclass(slots=True)
class ClassicGroup:
    """One group. `members` is by member id, in the order in which they joined. Times are in ms."""

    group_id: str
    settings: GroupSettings
    state: GroupState = EMPTY
    since_ms: int = -1
    """When it entered its state (ms of wall time); -1: unknown, from a record of before Kafka 2.1."""
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)
    """Static members: member ids by `group.instance.id` (KIP-345)."""
    supporters: ProtocolSupport = field(
        default_factory=ProtocolSupport, init=False, repr=False, compare=False
    )
    """How many members support each protocol."""
    invited: dict[str, int] = field(default_factory=dict)
    """Member ids that have not joined yet, with the time (ms) at which each expires (KIP-394)."""
    join_deadline: int | None = None
    sync_deadline: int | None = None
    extension_ms: int | None = None
    """How much longer a first rebalance may wait for more members; None: this is not a first one."""
    has_grown: bool = False
    """Whether a member came since the first rebalance was last put off."""
    due: int | None = None
    """No later than the next automatic event (ms): until then no member has to be looked at."""
    storing: dict[int, Assignments | Replacement] = field(default_factory=dict)
    tickets: int = 0

    def __post_init__(self) -> None:
        for member in self.members.values():
            self.supporters.add(member.protocols)

    def move(self, happened: GroupInput, now: int) -> None:
        """Enter the next state.

        Raises:
            KeyError: the table has no such transition: a mistake in this package.
        """
        self.state = TRANSITIONS[self.state][happened]
        self.since_ms = now

    @property
    def is_vacant(self) -> bool:
        """Whether it can be forgotten: no members, no generation, and no ids given out."""
        return self.state is EMPTY and not self.generation and not self.invited

    @property
    def rebalance_timeout_ms(self) -> int:
        """The largest rebalance timeout of its members, in ms; 0 without members."""
        return max([one.rebalance_timeout_ms for one in self.members.values()], default=0)

    def ends_joins(self) -> bool:
        """Whether the join phase is over: no member is missing.

        A first rebalance waits its full time.
        """
        if self.extension_ms is not None or self.invited:
            return False
        # Members tend to rejoin in the order of their notification, so the last one is still
        # missing.
        for member in reversed(self.members.values()):  # noqa: SIM110  (no generator for each request)
            if member.joining is None:
                return False
        return True

    def deadline(self) -> int | None:
        """The time of the next automatic event; exact, while `due` may be early."""
        deadlines = [member.deadline for member in self.members.values()]
        deadlines += [self.join_deadline, self.sync_deadline, *self.invited.values()]
        return min((one for one in deadlines if one is not None), default=None)

    def wake_at(self, when: int) -> None:
        """Schedule an automatic event."""
        if self.due is None or when < self.due:
            self.due = when

    def renew_session(self, member: Member, now: int) -> None:
        """A member is alive: its session begins again."""
        member.silent_until = until = now + member.session_timeout_ms
        if self.due is None or until < self.due:
            self.due = until

    def renew_all_sessions(self, now: int) -> None:
        """The sessions of all members begin again."""
        first = self.due
        for member in self.members.values():
            member.silent_until = until = now + member.session_timeout_ms
            if first is None or until < first:
                first = until
        self.due = first

    def refusal(self, who: Identity) -> ErrorCode | None:
        """UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID where a newer process has the name; None: a member."""
        if who.instance_id is not None:
            known = self.instances.get(who.instance_id)
            if known is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            if known != who.member_id:
                return ErrorCode.FENCED_INSTANCE_ID
        return None if who.member_id in self.members else ErrorCode.UNKNOWN_MEMBER_ID

    def agrees(self, protocol_type: str, protocols: Protocols) -> bool:
        """Whether all members support one of these protocols, and are of this protocol type.

        An empty group accepts any member that names a type and a protocol.
        """
        if self.state is EMPTY:
            return bool(protocol_type and protocols)
        if protocol_type != self.protocol_type:
            return False
        return not self.members or self.supporters.share_any(protocols)

    def vote(self) -> str:
        """The protocol with the most votes: each member votes for its first one that all support.

        Of several with as many votes, the one that was voted for first. There must be members.
        Source: Kafka's ClassicGroup.selectProtocol.
        """
        votes: dict[str, int] = {}
        for member in self.members.values():
            for choice, _ in member.protocols:
                if self.supporters.share(choice):
                    votes[choice] = votes.get(choice, 0) + 1
                    break
        return max(votes, key=votes.__getitem__)

    def join_reply(self, member: Member) -> JoinReply:
        """The JoinGroup response for a member of the current generation."""
        member_id, leader = member.member_id, self.leader
        members = self.roster() if member_id == leader else ()
        kind, protocol = self.protocol_type, self.protocol
        return new_tuple(
            JoinReply,
            (_NONE, member_id, self.generation, kind, protocol, leader or "", False, members),
        )

    def roster(self) -> list[JoinGroupResponseMember]:
        """All members with their metadata for the group's protocol: what only the leader receives."""
        protocol = self.protocol
        return [one.described(protocol).to_leader for one in self.members.values()]

    def sync_reply(self, member: Member) -> SyncReply:
        """The SyncGroup response with the member's assignment."""
        return new_tuple(SyncReply, (_NONE, self.protocol_type, self.protocol, member.assignment))

    def read_of(self, topics: set[str]) -> Generator[None, None, set[str]]:
        """Those of `topics` that its consumers read; all if that is unknown, or these are not consumers.

        In steps. A newer member that does not support the protocol of this generation reads nothing yet.
        """
        members = [one for one in self.members.values() if self.protocol in names_of(one.protocols)]
        if self.protocol_type != CONSUMER or not members:
            return topics
        return (yield from read_by(members, self.protocol, topics))

    def ticket(self, what: Assignments | Replacement) -> int:
        """A number with which the caller reports whether a record was written."""
        self.tickets += 1
        self.storing[self.tickets] = what
        return self.tickets
