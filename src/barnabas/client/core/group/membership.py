"""One consumer as a member of a classic group: what to say next, and what answers mean. No I/O.

A rebalance goes: `before_join` (what must be given up first), `join_request`, `joined`,
`sync_request`, `synced` (what is given up and what is new). Between two of them the member heartbeats
and `heard` takes the answers. An answer that refuses says how to go on (`Next`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from barnabas.client.core.group.assignor import Assignor, Counts, Held
from barnabas.client.core.group.member_states import TRANSITIONS, MemberInput, MemberState
from barnabas.client.core.group.options import GroupOptions
from barnabas.client.core.group.subscription import (
    NO_GENERATION,
    Subscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from barnabas.errors import ErrorCode
from barnabas.protocol.heartbeat import HeartbeatRequest
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from barnabas.protocol.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from barnabas.types import TopicPartition

CONSUMER: Final = "consumer"

_E = ErrorCode


class Next(Enum):
    """How to go on after an answer."""

    ON = auto()
    """Nothing is wrong."""
    AGAIN = auto()
    """Join again, at once."""
    LATER = auto()
    """The same again after a while."""
    ELSEWHERE = auto()
    """The same again, where the coordinator is now."""
    FAIL = auto()
    """The user must be told."""


class Told(Enum):
    """What a listener is told of partitions."""

    REVOKED = auto()
    """They are given up; what was read may still be committed."""
    LOST = auto()
    """Others may have them already; a commit would be refused."""
    ASSIGNED = auto()
    """They are this member's from now on."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a listener is to be told."""

    told: Told
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class Led:
    """What the leader of a generation knows: who wants what."""

    members: dict[str, Subscription]
    topics: frozenset[str]


_NEXT: Final = {
    _E.NONE: Next.ON,
    _E.MEMBER_ID_REQUIRED: Next.AGAIN,
    _E.UNKNOWN_MEMBER_ID: Next.AGAIN,
    _E.ILLEGAL_GENERATION: Next.AGAIN,
    _E.REBALANCE_IN_PROGRESS: Next.AGAIN,
    _E.COORDINATOR_LOAD_IN_PROGRESS: Next.LATER,
    _E.COORDINATOR_NOT_AVAILABLE: Next.ELSEWHERE,
    _E.NOT_COORDINATOR: Next.ELSEWHERE,
}
"""All others are for the user."""


class Membership:
    """`owned` are the partitions that it has; `rejoin_why` says why it should join again, if it should.

    Invariant: while it is not cooperative, it has nothing between `before_join` and `synced`.
    """

    def __init__(self, options: GroupOptions) -> None:
        self.options = options
        self.state = MemberState.AWAY
        self.member_id = ""
        self.generation = NO_GENERATION
        self.topics: frozenset[str] = frozenset()
        self.owned: tuple[TopicPartition, ...] = ()
        self.rejoin_why = ""
        self.led: Led | None = None
        self._lost = False
        self._held = Held()
        self._assignor: Assignor | None = None
        self._counts: Counts | None = None
        self._skips = False

    # ---- what is wanted -------------------------------------------------------------------

    def subscribe(self, topics: Iterable[str]) -> None:
        """Want these topics from now on."""
        wanted = frozenset(topics)
        if wanted != self.topics:
            self.topics = wanted
            self.rejoin("the subscription has changed")

    def rejoin(self, why: str) -> None:
        """Join again as soon as the user polls."""
        self.rejoin_why = self.rejoin_why or why

    @property
    def due(self) -> bool:
        """Whether it is to join, for the first time or again."""
        return self.state is not MemberState.STABLE or bool(self.rejoin_why)

    @property
    def held(self) -> tuple[TopicPartition, ...]:
        """What was handed out to it last."""
        return self._held.partitions

    def counted(self, counts: Counts) -> None:
        """Take note of how many partitions there are: a leader shares out anew when that changes."""
        if self.led is not None and self._counts is not None and counts != self._counts:
            self._counts = counts
            self.rejoin("topics of the group have changed")

    # ---- a rebalance ----------------------------------------------------------------------

    def before_join(self) -> Change | None:
        """What is given up before joining, if anything; `gave_up` follows when it was."""
        if self._lost:
            told, gone = Told.LOST, self.owned
        elif not self.options.cooperative:
            told, gone = Told.REVOKED, self.owned
        else:
            told = Told.REVOKED
            gone = tuple(where for where in self.owned if where.topic not in self.topics)
        return Change(told, gone) if gone else None

    def gave_up(self, change: Change) -> None:
        """It was told what is given up, and has it no longer."""
        gone = set(change.partitions)
        self.owned = tuple(where for where in self.owned if where not in gone)
        if change.told is Told.LOST:
            self._lost = False

    def before_leave(self) -> Change | None:
        """What is given up by leaving, if anything."""
        gone = self.owned
        told = Told.REVOKED if self.generation >= 0 else Told.LOST
        return Change(told, gone) if gone else None

    def join_request(self) -> JoinGroupRequest:
        """Ask to be a member."""
        why, self.rejoin_why = self.rejoin_why, ""
        self._lost = False
        self._move(MemberInput.JOIN)
        options = self.options
        return JoinGroupRequest(
            group_id=options.group_id,
            session_timeout_ms=options.session_ms,
            rebalance_timeout_ms=options.rebalance_ms,
            member_id=self.member_id,
            group_instance_id=options.instance_id,
            protocol_type=CONSUMER,
            protocols=[
                JoinGroupRequestProtocol(name=each.name, metadata=self._subscription(each))
                for each in options.assignors
            ],
            reason=why or None,
        )

    def joined(self, response: JoinGroupResponse) -> Next:
        """Take the answer.

        Raises:
            DecodeError: the leader was told of a member that says no subscription.
        """
        if response.error_code == _E.MEMBER_ID_REQUIRED:
            self.member_id = response.member_id
        if response.error_code:
            return self.refused(response.error_code)
        chosen = [each for each in self.options.assignors if each.name == response.protocol_name]
        if not chosen:
            return Next.FAIL
        self._assignor = chosen[0]
        self.member_id, self.generation = response.member_id, response.generation_id
        self._move(MemberInput.JOINED)
        self.led, self._counts = None, None
        if response.leader == response.member_id:
            members = {
                row.member_id: decode_subscription(row.metadata, row.group_instance_id)
                for row in response.members
            }
            wanted = frozenset(topic for each in members.values() for topic in each.topics)
            self.led = Led(members, wanted)
            self._skips = response.skip_assignment
        return Next.ON

    def sync_request(self, counts: Counts) -> SyncGroupRequest:
        """Ask for the partitions; as a leader share them out, by how many each topic has."""
        assert self._assignor is not None
        given = {}
        if self.led is not None:
            self._counts = counts
            if not self._skips:
                given = self._assignor.assign(counts, self.led.members)
        return SyncGroupRequest(
            group_id=self.options.group_id,
            generation_id=self.generation,
            member_id=self.member_id,
            group_instance_id=self.options.instance_id,
            protocol_type=CONSUMER,
            protocol_name=self._assignor.name,
            assignments=[
                SyncGroupRequestAssignment(
                    member_id=member_id, assignment=encode_assignment(partitions)
                )
                for member_id, partitions in given.items()
            ],
        )

    def synced(self, response: SyncGroupResponse) -> tuple[Next, tuple[Change, ...]]:
        """Take the answer; what listeners are to be told, in that order.

        Raises:
            DecodeError: what was handed out is no assignment.
        """
        if response.error_code:
            return self.refused(response.error_code), ()
        given = tuple(sorted(set(decode_assignment(response.assignment))))
        self._move(MemberInput.SYNCED)
        revoked = tuple(sorted(set(self.owned) - set(given)))
        added = tuple(sorted(set(given) - set(self.owned)))
        self.owned, self._held = (*self.owned, *added), Held(given, self.generation)
        if revoked:
            self.rejoin("it gave up partitions that others are to have")
        changes = [Change(Told.REVOKED, revoked)] if revoked else []
        return Next.ON, (*changes, Change(Told.ASSIGNED, added))

    # ---- in between -----------------------------------------------------------------------

    def heartbeat_request(self) -> HeartbeatRequest:
        """Say that it is still there."""
        return HeartbeatRequest(
            group_id=self.options.group_id,
            generation_id=self.generation,
            member_id=self.member_id,
            group_instance_id=self.options.instance_id,
        )

    def heard(self, code: int, generation: int) -> Next:
        """Take the answer to what was said in a `generation`, a heartbeat or a commit."""
        if generation != self.generation or self.state is not MemberState.STABLE:
            return Next.ON  # It is about what is over, or what a join under way will say itself.
        if code == _E.REBALANCE_IN_PROGRESS:
            self.rejoin("the group is rebalancing")
            return Next.AGAIN
        return self.refused(code)

    def refused(self, code: int) -> Next:
        """What an error means for the membership itself, and how to go on."""
        error = ErrorCode.of(code)
        if error in {_E.UNKNOWN_MEMBER_ID, _E.FENCED_INSTANCE_ID}:
            self.forgotten()
        elif error is _E.ILLEGAL_GENERATION:
            self.forgotten(self.member_id)
        return _NEXT.get(error, Next.FAIL)

    def forgotten(self, member_id: str = "") -> None:
        """It is no member any more, so what it has is lost; it may still have a member id."""
        self.member_id = member_id
        self.generation = NO_GENERATION
        self.led = None
        self._lost = True
        self._move(MemberInput.FORGOTTEN)

    def _subscription(self, assignor: Assignor) -> bytes:
        said = Subscription(
            tuple(sorted(self.topics)),
            self.owned,
            self.generation,
            assignor.user_data(self._held),
        )
        return encode_subscription(said)

    def _move(self, what: MemberInput) -> None:
        self.state = TRANSITIONS[self.state][what]
