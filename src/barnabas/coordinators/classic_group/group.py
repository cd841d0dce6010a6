"""ClassicGroup: members that assign partitions among themselves, and the group's state.

Data and queries only. The transitions are in `joining`, `rebalancing`, `syncing` and `leaving`:
functions of a group and the time. No clock, randomness or socket: a waiting request is an opaque
value, and the caller supplies times (in milliseconds) and ids.

Source: KIP-62, KIP-134, KIP-345, KIP-394; Kafka's GroupMetadataManager and ClassicGroup.
"""

from dataclasses import dataclass, field

from barnabas.coordinators.classic_group.group_states import (
    EMPTY,
    TRANSITIONS,
    GroupInput,
    GroupState,
)
from barnabas.coordinators.classic_group.member import Identity, Member, Protocols
from barnabas.coordinators.classic_group.protocols import CONSUMER, Supporters, names_of, topics_of
from barnabas.coordinators.classic_group.replies import JoinReply, SyncReply
from barnabas.coordinators.classic_group.settings import GroupSettings
from barnabas.errors import ErrorCode
from barnabas.protocol.join_group import JoinGroupResponseMember
from barnabas.types import new_tuple

_NONE = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class Assignments:
    """What a leader handed out, while it is being kept."""

    generation: int
    by_member: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A static member that came back under a new id, while that is being kept."""

    was: Member
    now: Member
    reply: JoinReply


@dataclass(slots=True)
class ClassicGroup:
    """One group. `members` is in the order in which they came."""

    group_id: str
    settings: GroupSettings
    state: GroupState = EMPTY
    since_ms: int = -1
    """When it came to its state; -1: not known, for a record of before Kafka 2.1."""
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)
    """Static members: their ids by their own names."""
    supporters: Supporters = field(
        default_factory=Supporters, init=False, repr=False, compare=False
    )
    """Of the protocols of its members."""
    invited: dict[str, int] = field(default_factory=dict)
    """Ids given out that have not joined yet, with the time until which they may (KIP-394)."""
    join_deadline: int | None = None
    sync_deadline: int | None = None
    extension_ms: int | None = None
    """How much longer a first rebalance may wait for more members; None: this is not a first one."""
    has_grown: bool = False
    """Whether a member came since the first rebalance was last put off."""
    due: int | None = None
    """Not after anything that happens by itself, so that not all members are looked at each time."""
    storing: dict[int, Assignments | Replacement] = field(default_factory=dict)
    tickets: int = 0

    def __post_init__(self) -> None:
        for member in self.members.values():
            self.supporters.add(member.protocols)

    def move(self, happened: GroupInput, now: int) -> None:
        """Go to the next state; a move that is not in the table is our mistake."""
        self.state = TRANSITIONS[self.state][happened]
        self.since_ms = now

    @property
    def is_vacant(self) -> bool:
        """Whether there is nothing to remember of it."""
        return self.state is EMPTY and not self.generation and not self.invited

    @property
    def rebalance_timeout_ms(self) -> int:
        """The time that the slowest member wants for joining again."""
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
        """A member is alive: its session begins anew."""
        member.silent_until = until = now + member.session_timeout_ms
        if self.due is None or until < self.due:
            self.due = until

    def renew_all_sessions(self, now: int) -> None:
        """The sessions of all members begin anew."""
        first = self.due
        for member in self.members.values():
            member.silent_until = until = now + member.session_timeout_ms
            if first is None or until < first:
                first = until
        self.due = first

    def refusal(self, who: Identity) -> ErrorCode | None:
        """Why this is no member, or no longer the static member that it was."""
        if who.instance_id is not None:
            known = self.instances.get(who.instance_id)
            if known is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            if known != who.member_id:
                return ErrorCode.FENCED_INSTANCE_ID
        return None if who.member_id in self.members else ErrorCode.UNKNOWN_MEMBER_ID

    def agrees(self, protocol_type: str, protocols: Protocols) -> bool:
        """Whether a member that can do this shares a protocol with all there are."""
        if self.state is EMPTY:
            return bool(protocol_type and protocols)
        if protocol_type != self.protocol_type:
            return False
        return not self.members or self.supporters.share_any(protocols)

    def vote(self) -> str:
        """The protocol that most members like best of those that all know.

        Source: Kafka's ClassicGroup.selectProtocol. Where several have as many votes, the one that
        the first members voted for.
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
        """All members, as a leader must know them."""
        protocol = self.protocol
        return [one.described(protocol).to_leader for one in self.members.values()]

    def sync_reply(self, member: Member) -> SyncReply:
        """What a member is to do."""
        return new_tuple(SyncReply, (_NONE, self.protocol_type, self.protocol, member.assignment))

    def subscribed_topics(self) -> set[str] | None:
        """The topics that its consumers read; None if unknown, or if these are not consumers.

        A newer member that does not support the protocol of this generation reads nothing yet.
        """
        if self.protocol_type != CONSUMER:
            return None
        members = [one for one in self.members.values() if self.protocol in names_of(one.protocols)]
        return topics_of(members, self.protocol) if members else None

    def ticket(self, what: Assignments | Replacement) -> int:
        """A number with which the caller reports whether a record was written."""
        self.tickets += 1
        self.storing[self.tickets] = what
        return self.tickets
