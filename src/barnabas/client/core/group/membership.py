"""One consumer's membership of a classic group: its requests, and what responses mean. No I/O.

A rebalance calls: `before_join` (partitions to revoke first), `join_request`, `joined`,
`sync_request`, `synced` (revoked and new partitions). Between rebalances the member sends
heartbeats, and `handle_response` handles the responses. After an error, `NextStep` says how to continue.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from barnabas.client.core.group.assignor import Assignor, Counts, PreviousAssignment
from barnabas.client.core.group.member_states import TRANSITIONS, MemberInput, MemberState
from barnabas.client.core.group.membership_results import (
    COORDINATOR_STEPS,
    Change,
    ChangeKind,
    NextStep,
)
from barnabas.client.core.group.options import GroupOptions
from barnabas.client.core.group.subscription import (
    CONSUMER,
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

_E = ErrorCode


@dataclass(frozen=True, slots=True)
class LeaderAssignment:
    """The leader's data about a generation: the members' subscriptions."""

    members: dict[str, Subscription]
    topics: frozenset[str]


_NEXT: Final = {
    **COORDINATOR_STEPS,
    _E.MEMBER_ID_REQUIRED: NextStep.REJOIN,
    _E.UNKNOWN_MEMBER_ID: NextStep.REJOIN,
    _E.ILLEGAL_GENERATION: NextStep.REJOIN,
    _E.REBALANCE_IN_PROGRESS: NextStep.REJOIN,
}
"""All other errors are raised to the user."""


class Membership:
    """`owned` are the member's partitions; `rejoin_why` is the reason to rejoin, if any.

    Invariant: without a cooperative assignor, it has no partitions between `before_join` and
    `synced`.
    """

    def __init__(self, options: GroupOptions) -> None:
        self.options = options
        self.state = MemberState.AWAY
        self.member_id = ""
        self.generation = NO_GENERATION
        self.topics: frozenset[str] = frozenset()
        self.owned: tuple[TopicPartition, ...] = ()
        self.rejoin_why = ""
        self.led: LeaderAssignment | None = None
        self._lost = False
        self._held = PreviousAssignment()
        self._assignor: Assignor | None = None
        self._counts: Counts | None = None
        self._skips = False

    # ---- subscription ---------------------------------------------------------------------

    def subscribe(self, topics: Iterable[str]) -> None:
        """Subscribe to these topics from now on."""
        wanted = frozenset(topics)
        if wanted != self.topics:
            self.topics = wanted
            self.rejoin("the subscription has changed")

    def rejoin(self, why: str) -> None:
        """Rejoin as soon as the user polls."""
        self.rejoin_why = self.rejoin_why or why

    @property
    def due(self) -> bool:
        """Whether it must join, for the first time or again."""
        return self.state is not MemberState.STABLE or bool(self.rejoin_why)

    @property
    def held(self) -> tuple[TopicPartition, ...]:
        """Its last assignment."""
        return self._held.partitions

    def counted(self, counts: Counts) -> None:
        """Note the topics' numbers of partitions: a leader rebalances when they change."""
        if self.led is not None and self._counts is not None and counts != self._counts:
            self._counts = counts
            self.rejoin("topics of the group have changed")

    # ---- a rebalance ----------------------------------------------------------------------

    def before_join(self) -> Change | None:
        """Partitions to revoke before joining, if any; `gave_up` must follow."""
        if self._lost:
            kind, gone = ChangeKind.LOST, self.owned
        elif not self.options.cooperative:
            kind, gone = ChangeKind.REVOKED, self.owned
        else:
            kind = ChangeKind.REVOKED
            gone = tuple(where for where in self.owned if where.topic not in self.topics)
        return Change(kind, gone) if gone else None

    def gave_up(self, change: Change) -> None:
        """The listener was notified of the revocation; the partitions are gone."""
        gone = set(change.partitions)
        self.owned = tuple(where for where in self.owned if where not in gone)
        if change.kind is ChangeKind.LOST:
            self._lost = False

    def before_leave(self) -> Change | None:
        """Partitions to revoke by leaving, if any."""
        gone = self.owned
        kind = ChangeKind.REVOKED if self.generation >= 0 else ChangeKind.LOST
        return Change(kind, gone) if gone else None

    def join_request(self) -> JoinGroupRequest:
        """A request to join."""
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

    def joined(self, response: JoinGroupResponse) -> NextStep:
        """Handle the response.

        Raises:
            DecodeError: a member's subscription, sent to the leader, is malformed.
        """
        if response.error_code == _E.MEMBER_ID_REQUIRED:
            self.member_id = response.member_id
        if response.error_code:
            return self.refused(response.error_code)
        chosen = [each for each in self.options.assignors if each.name == response.protocol_name]
        if not chosen:
            return NextStep.FAIL
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
            self.led = LeaderAssignment(members, wanted)
            self._skips = response.skip_assignment
        return NextStep.CONTINUE

    def sync_request(self, counts: Counts) -> SyncGroupRequest:
        """A request for the assignment; a leader computes it, from each topic's number of partitions."""
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

    def synced(self, response: SyncGroupResponse) -> tuple[NextStep, tuple[Change, ...]]:
        """Handle the response; return the notifications of listeners, in order.

        Raises:
            DecodeError: the assignment is malformed.
        """
        if response.error_code:
            return self.refused(response.error_code), ()
        given = tuple(sorted(set(decode_assignment(response.assignment))))
        self._move(MemberInput.SYNCED)
        revoked = tuple(sorted(set(self.owned) - set(given)))
        added = tuple(sorted(set(given) - set(self.owned)))
        self.owned, self._held = (*self.owned, *added), PreviousAssignment(given, self.generation)
        if revoked:
            self.rejoin("it gave up partitions that other members get")
        changes = [Change(ChangeKind.REVOKED, revoked)] if revoked else []
        return NextStep.CONTINUE, (*changes, Change(ChangeKind.ASSIGNED, added))

    # ---- between rebalances ---------------------------------------------------------------

    def heartbeat_request(self) -> HeartbeatRequest:
        """A heartbeat."""
        return HeartbeatRequest(
            group_id=self.options.group_id,
            generation_id=self.generation,
            member_id=self.member_id,
            group_instance_id=self.options.instance_id,
        )

    def handle_response(self, code: int, generation: int) -> NextStep:
        """Handle the response to a heartbeat or commit of a `generation`."""
        if generation != self.generation or self.state is not MemberState.STABLE:
            # The generation is over, or a join in flight will report the same.
            return NextStep.CONTINUE
        if code == _E.REBALANCE_IN_PROGRESS:
            self.rejoin("the group is rebalancing")
            return NextStep.REJOIN
        return self.refused(code)

    def refused(self, code: int) -> NextStep:
        """Apply an error to the membership; return how to continue."""
        error = ErrorCode.of(code)
        if error in {_E.UNKNOWN_MEMBER_ID, _E.FENCED_INSTANCE_ID}:
            self.forgotten()
        elif error is _E.ILLEGAL_GENERATION:
            self.forgotten(self.member_id)
        return _NEXT.get(error, NextStep.FAIL)

    def forgotten(self, member_id: str = "") -> None:
        """The member is not in the group any more: its partitions are lost.

        It may keep its member id.
        """
        self.member_id = member_id
        self.generation = NO_GENERATION
        self.led = None
        self._lost = True
        self._move(MemberInput.FORGOTTEN)

    def _subscription(self, assignor: Assignor) -> bytes:
        subscription = Subscription(
            tuple(sorted(self.topics)),
            self.owned,
            self.generation,
            assignor.user_data(self._held),
        )
        return encode_subscription(subscription)

    def _move(self, what: MemberInput) -> None:
        self.state = TRANSITIONS[self.state][what]
