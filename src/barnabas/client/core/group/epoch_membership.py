"""One consumer's membership of a group whose broker assigns (KIP-848): requests and responses.

No I/O.

Call `join`, then send heartbeats during membership: `heartbeat_request`, then `handle_response` with the
response or `no_response` without one. A response may contain a new assignment. The member then revokes
first (`before_join`, `gave_up`), adopts (`took`), and is `reconciled`, which the next heartbeat
reports.

The member reports its partitions only when it owns all of its assignment: a report in between would
count as a release, or as an adoption, before its listener knows. A response may belong to a
heartbeat before the last change: the broker knows the contents of the heartbeat that it answers.

The epoch may be stale for a moment. The coordinator raises it in a heartbeat response; a commit in
flight meanwhile is refused (STALE_MEMBER_EPOCH) and repeated with the epoch of the response.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from barnabas.client.core.group.epoch_states import TRANSITIONS, EpochInput, EpochState
from barnabas.client.core.group.membership_results import (
    COORDINATOR_STEPS,
    Change,
    ChangeKind,
    NextStep,
)
from barnabas.client.core.group.options import GroupOptions
from barnabas.client.core.group.subscription import NO_GENERATION
from barnabas.errors import ErrorCode
from barnabas.ports import Entropy
from barnabas.protocol.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from barnabas.types import TopicPartition

JOINS: Final = 0
LEAVES: Final = -1
LEAVES_FOR_A_WHILE: Final = -2
"""A static member may return (KIP-345)."""

_E = ErrorCode

_NEXT: Final = {
    **COORDINATOR_STEPS,
    _E.FENCED_MEMBER_EPOCH: NextStep.REJOIN,
    _E.UNKNOWN_MEMBER_ID: NextStep.REJOIN,
}
"""All other errors are raised to the user."""


def member_id(entropy: Entropy) -> str:
    """Generate a member id, which a member keeps for its life (KIP-1082)."""
    return urlsafe_b64encode(entropy.uuid()).decode().rstrip("=")


class TopicIdIndex(NamedTuple):
    """A partition, by topic id."""

    topic_id: bytes
    partition: int


@dataclass(frozen=True, slots=True)
class _Report:
    """The contents of a heartbeat beyond being alive.

    `change` is the number of the last assignment change that was applied. The broker waits for a
    report of each, even if the partitions are the same afterwards.
    """

    topics: frozenset[str]
    regex: str | None
    owned: frozenset[TopicIdIndex]
    change: int

    def shares_as(self, other: "_Report") -> bool:
        """Whether both report the same partitions."""
        return (self.owned, self.change) == (other.owned, other.change)


class EpochMembership:
    """`generation` is the member's epoch, as in Kafka's group metadata; -1 without membership.

    `regex` is the pattern of subscribed topics, instead of `topics`. `interval_ms` is the heartbeat
    interval, set by the broker. Invariant: the member has no partitions when it joins.
    """

    def __init__(self, options: GroupOptions, member_id: str) -> None:
        self.options = options
        self.state = EpochState.AWAY
        self.member_id = member_id
        self.generation = NO_GENERATION
        self.topics: frozenset[str] = frozenset()
        self.regex: str | None = None
        self.interval_ms = options.heartbeat_ms
        self._owned: dict[TopicIdIndex, TopicPartition] = {}
        self._target: frozenset[TopicIdIndex] = frozenset()
        self._changes = 0
        self._reported: _Report | None = None
        self._reporting: _Report | None = None

    # ---- subscription ---------------------------------------------------------------------

    def subscribe(self, topics: Iterable[str]) -> None:
        """Subscribe to these topics from now on."""
        self.topics, self.regex = frozenset(topics), None

    def match(self, regex: str) -> None:
        """Subscribe to all topics, also future ones, whose whole names match the RE2 pattern."""
        self.topics, self.regex = frozenset(), regex

    @property
    def owned(self) -> tuple[TopicPartition, ...]:
        """The member's partitions, sorted."""
        return tuple(sorted(self._owned.values()))

    @property
    def due(self) -> bool:
        """Whether a poll has something to start."""
        return self.state in {EpochState.AWAY, EpochState.RECONCILING}

    @property
    def has_news(self) -> bool:
        """Whether to send a heartbeat now, and not only when the next one is due."""
        if self.state is EpochState.AWAY:
            return False
        return self._reported is None or self._report() != self._reported

    # ---- current and target assignment ----------------------------------------------------

    def before_join(self) -> Change | None:
        """Partitions to revoke before joining or adopting others; `gave_up` must follow."""
        if self.state is EpochState.AWAY:
            kind, gone = ChangeKind.LOST, self.owned
        else:
            kind = ChangeKind.REVOKED
            gone = tuple(
                sorted(where for at, where in self._owned.items() if at not in self._target)
            )
        return Change(kind, gone) if gone else None

    def gave_up(self, change: Change) -> None:
        """The listener was notified of the revocation; the partitions are gone."""
        gone = set(change.partitions)
        self._owned = {at: where for at, where in self._owned.items() if where not in gone}

    def before_leave(self) -> Change | None:
        """Partitions to revoke by leaving, if any."""
        kind = ChangeKind.REVOKED if self.generation > 0 else ChangeKind.LOST
        return Change(kind, self.owned) if self._owned else None

    def join(self) -> None:
        """Start to become a member."""
        assert not self._owned, "what it has was given up"
        self._move(EpochInput.JOIN)

    def unnamed(self, names: Mapping[bytes, str]) -> set[bytes]:
        """The topics of new partitions whose names are not among these."""
        return {place.topic_id for place in self._to_take()} - names.keys()

    def took(self, names: Mapping[bytes, str]) -> Change:
        """Adopt the assignment, for topics of these names; return the listener's notification."""
        added = {at: TopicPartition(names[at.topic_id], at.partition) for at in self._to_take()}
        self._owned |= added
        return Change(ChangeKind.ASSIGNED, tuple(sorted(added.values())))

    def reconciled(self) -> None:
        """The listener was notified: unless the assignment has changed again, it is complete."""
        if self.state is EpochState.RECONCILING and self._owned.keys() == self._target:
            self._move(EpochInput.RECONCILED)

    # ---- heartbeats -----------------------------------------------------------------------

    def heartbeat_request(self) -> ConsumerGroupHeartbeatRequest:
        """A heartbeat with everything that the broker does not know yet."""
        report, reported = self._report(), self._reported
        self._reporting = report
        request = self._request(max(self.generation, JOINS))
        if reported is None:
            request.rack_id = self.options.rack or None
            request.rebalance_timeout_ms = self.options.rebalance_ms
            request.server_assignor = self.options.remote_assignor
        if reported is None or reported.topics != report.topics:
            request.subscribed_topic_names = sorted(report.topics)
        if report.regex is not None and (reported is None or reported.regex != report.regex):
            request.subscribed_topic_regex = report.regex
        elif report.regex is None and reported is not None and reported.regex is not None:
            request.subscribed_topic_regex = ""
        if reported is None or not reported.shares_as(report):
            request.topic_partitions = _rows(report.owned)
        return request

    def leave_request(self) -> ConsumerGroupHeartbeatRequest:
        """A leave request; a static member leaves temporarily."""
        static = self.options.instance_id is not None
        return self._request(LEAVES_FOR_A_WHILE if static else LEAVES)

    def handle_response(self, response: ConsumerGroupHeartbeatResponse) -> NextStep:
        """Handle the response to the last heartbeat."""
        if self.state is EpochState.AWAY:
            return NextStep.CONTINUE  # The member has left meanwhile.
        if response.error_code:
            self.no_response()
            found = _NEXT.get(ErrorCode.of(response.error_code), NextStep.FAIL)
            if found in {NextStep.REJOIN, NextStep.FAIL}:
                self.forgotten()
            return found
        self.generation = response.member_epoch
        self.interval_ms = response.heartbeat_interval_ms
        self._reported, self._reporting = self._reporting, None
        if response.assignment is not None:
            self._target = _places(response.assignment)
            self._changes += self._owned.keys() != self._target
        if self.state is EpochState.JOINING or self._owned.keys() != self._target:
            self._move(EpochInput.ASSIGNED)
        elif self.state is EpochState.ACKNOWLEDGING and not self.has_news:
            self._move(EpochInput.KNOWN)
        return NextStep.CONTINUE

    def no_response(self) -> None:
        """No valid response arrived: repeat everything."""
        self._reported = self._reporting = None

    def forgotten(self) -> None:
        """The member is not in the group any more, so its partitions are lost."""
        self.generation = NO_GENERATION
        self._target = frozenset()
        self.no_response()
        self._move(EpochInput.FORGOTTEN)

    def _to_take(self) -> frozenset[TopicIdIndex]:
        return self._target - self._owned.keys()

    def _request(self, epoch: int) -> ConsumerGroupHeartbeatRequest:
        return ConsumerGroupHeartbeatRequest(
            group_id=self.options.group_id,
            member_id=self.member_id,
            member_epoch=epoch,
            instance_id=self.options.instance_id,
        )

    def _report(self) -> _Report:
        """Partitions are reported when the assignment is complete; during a change, as before."""
        owned, change = frozenset(self._owned), self._changes
        if self.state is EpochState.RECONCILING and self._reported is not None:
            owned, change = self._reported.owned, self._reported.change
        return _Report(self.topics, self.regex, owned, change)

    def _move(self, what: EpochInput) -> None:
        self.state = TRANSITIONS[self.state][what]


def _places(assignment: Assignment) -> frozenset[TopicIdIndex]:
    return frozenset(
        TopicIdIndex(bytes(row.topic_id), partition)
        for row in assignment.topic_partitions
        for partition in row.partitions
    )


def _rows(places: Iterable[TopicIdIndex]) -> list[TopicPartitions]:
    by_topic: dict[bytes, list[int]] = {}
    for topic_id, partition in sorted(places):
        by_topic.setdefault(topic_id, []).append(partition)
    return [TopicPartitions(topic_id=each, partitions=rows) for each, rows in by_topic.items()]
