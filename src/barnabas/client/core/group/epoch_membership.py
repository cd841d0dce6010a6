"""One consumer as a member of a group whose broker assigns (KIP-848): what to say, what it means. No I/O.

`join`, then heartbeats for as long as it is a member: `heartbeat_request`, and `heard` with the
answer or `unheard` without one. An answer may tell what the member is to have. It then gives up first
(`before_join`, `gave_up`), takes (`took`) and is `reconciled`, which the next heartbeat says.

The member reports what it owns only when it owns all that it was assigned: a report in between would
count as given back, or taken, before its listener knew. A response may belong to an older heartbeat than
the last change: the broker knows what the heartbeat said that it answers.

The epoch may be stale for a moment. The coordinator raises it when it answers a heartbeat; a commit under
way meanwhile is refused (STALE_MEMBER_EPOCH) and sent again with the epoch of the response.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from barnabas.client.core.group.epoch_states import TRANSITIONS, EpochInput, EpochState
from barnabas.client.core.group.membership import Change, Next, Told
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
"""A static member is expected back (KIP-345)."""

_E = ErrorCode

_NEXT: Final = {
    _E.NONE: Next.ON,
    _E.FENCED_MEMBER_EPOCH: Next.AGAIN,
    _E.UNKNOWN_MEMBER_ID: Next.AGAIN,
    _E.COORDINATOR_LOAD_IN_PROGRESS: Next.LATER,
    _E.COORDINATOR_NOT_AVAILABLE: Next.ELSEWHERE,
    _E.NOT_COORDINATOR: Next.ELSEWHERE,
}
"""All others are for the user."""


def member_id(entropy: Entropy) -> str:
    """A name for a member, which it keeps for as long as it lives (KIP-1082)."""
    return urlsafe_b64encode(entropy.uuid()).decode().rstrip("=")


class Place(NamedTuple):
    """A partition, whatever its topic is called."""

    topic_id: bytes
    partition: int


@dataclass(frozen=True, slots=True)
class _Said:
    """What a heartbeat says beyond that the member is there.

    `change` is which change of what it is to have was the last that it was done with: the broker waits
    for each to be told, also where the member has after it what it had before.
    """

    topics: frozenset[str]
    regex: str | None
    owned: frozenset[Place]
    change: int

    def shares_as(self, other: "_Said") -> bool:
        """Whether it says the same of what the member has."""
        return (self.owned, self.change) == (other.owned, other.change)


class EpochMembership:
    """`generation` is the member's epoch, as Kafka's group metadata has it; -1 while it is none.

    `regex` is the pattern that it wants topics by, instead of `topics`. `interval_ms` is the time between
    two heartbeats, as the broker wants it. Invariant: it has nothing when it joins.
    """

    def __init__(self, options: GroupOptions, member_id: str) -> None:
        self.options = options
        self.state = EpochState.AWAY
        self.member_id = member_id
        self.generation = NO_GENERATION
        self.topics: frozenset[str] = frozenset()
        self.regex: str | None = None
        self.interval_ms = options.heartbeat_ms
        self._owned: dict[Place, TopicPartition] = {}
        self._target: frozenset[Place] = frozenset()
        self._changes = 0
        self._said: _Said | None = None
        self._saying: _Said | None = None

    # ---- what is wanted -------------------------------------------------------------------

    def subscribe(self, topics: Iterable[str]) -> None:
        """Want these topics from now on."""
        self.topics, self.regex = frozenset(topics), None

    def match(self, regex: str) -> None:
        """Want all topics whose whole names match, by RE2, also later ones."""
        self.topics, self.regex = frozenset(), regex

    @property
    def owned(self) -> tuple[TopicPartition, ...]:
        """The partitions that it has, sorted."""
        return tuple(sorted(self._owned.values()))

    @property
    def due(self) -> bool:
        """Whether there is something that a poll begins."""
        return self.state in {EpochState.AWAY, EpochState.RECONCILING}

    @property
    def has_news(self) -> bool:
        """Whether the broker should hear of it now, and not only when the next heartbeat is due."""
        if self.state is EpochState.AWAY:
            return False
        return self._said is None or self._to_say() != self._said

    # ---- what it has, and is to have ------------------------------------------------------

    def before_join(self) -> Change | None:
        """What is given up first, before it joins or takes anything; `gave_up` follows when it was."""
        if self.state is EpochState.AWAY:
            told, gone = Told.LOST, self.owned
        else:
            told = Told.REVOKED
            gone = tuple(
                sorted(where for at, where in self._owned.items() if at not in self._target)
            )
        return Change(told, gone) if gone else None

    def gave_up(self, change: Change) -> None:
        """It was told what is given up, and has it no longer."""
        gone = set(change.partitions)
        self._owned = {at: where for at, where in self._owned.items() if where not in gone}

    def before_leave(self) -> Change | None:
        """What is given up by leaving, if anything."""
        told = Told.REVOKED if self.generation > 0 else Told.LOST
        return Change(told, self.owned) if self._owned else None

    def join(self) -> None:
        """Begin to be a member."""
        assert not self._owned, "what it has was given up"
        self._move(EpochInput.JOIN)

    def unnamed(self, names: Mapping[bytes, str]) -> set[bytes]:
        """The topics of what it is to have and has not, as far as these names do not say them."""
        return {place.topic_id for place in self._to_take()} - names.keys()

    def took(self, names: Mapping[bytes, str]) -> Change:
        """It has all that it is to have, of topics of these names; what the listener is told."""
        added = {at: TopicPartition(names[at.topic_id], at.partition) for at in self._to_take()}
        self._owned |= added
        return Change(Told.ASSIGNED, tuple(sorted(added.values())))

    def reconciled(self) -> None:
        """The listener was told: unless it is to have something else by now, the broker is, too."""
        if self.state is EpochState.RECONCILING and self._owned.keys() == self._target:
            self._move(EpochInput.RECONCILED)

    # ---- heartbeats -----------------------------------------------------------------------

    def heartbeat_request(self) -> ConsumerGroupHeartbeatRequest:
        """Say that it is still there, and what the broker does not know yet."""
        saying, said = self._to_say(), self._said
        self._saying = saying
        request = self._request(max(self.generation, JOINS))
        if said is None:
            request.rack_id = self.options.rack or None
            request.rebalance_timeout_ms = self.options.rebalance_ms
            request.server_assignor = self.options.remote_assignor
        if said is None or said.topics != saying.topics:
            request.subscribed_topic_names = sorted(saying.topics)
        if saying.regex is not None and (said is None or said.regex != saying.regex):
            request.subscribed_topic_regex = saying.regex
        elif saying.regex is None and said is not None and said.regex is not None:
            request.subscribed_topic_regex = ""
        if said is None or not said.shares_as(saying):
            request.topic_partitions = _rows(saying.owned)
        return request

    def leave_request(self) -> ConsumerGroupHeartbeatRequest:
        """Say that it goes: as a static member for a while."""
        static = self.options.instance_id is not None
        return self._request(LEAVES_FOR_A_WHILE if static else LEAVES)

    def heard(self, response: ConsumerGroupHeartbeatResponse) -> Next:
        """Take the answer to the last heartbeat."""
        if self.state is EpochState.AWAY:
            return Next.ON  # It left meanwhile.
        if response.error_code:
            self.unheard()
            found = _NEXT.get(ErrorCode.of(response.error_code), Next.FAIL)
            if found in {Next.AGAIN, Next.FAIL}:
                self.forgotten()
            return found
        self.generation = response.member_epoch
        self.interval_ms = response.heartbeat_interval_ms
        self._said, self._saying = self._saying, None
        if response.assignment is not None:
            self._target = _places(response.assignment)
            self._changes += self._owned.keys() != self._target
        if self.state is EpochState.JOINING or self._owned.keys() != self._target:
            self._move(EpochInput.TOLD)
        elif self.state is EpochState.ACKNOWLEDGING and not self.has_news:
            self._move(EpochInput.KNOWN)
        return Next.ON

    def unheard(self) -> None:
        """No answer came, or none that counts: all is said again."""
        self._said = self._saying = None

    def forgotten(self) -> None:
        """It is no member any more, so what it has is lost."""
        self.generation = NO_GENERATION
        self._target = frozenset()
        self.unheard()
        self._move(EpochInput.FORGOTTEN)

    def _to_take(self) -> frozenset[Place]:
        return self._target - self._owned.keys()

    def _request(self, epoch: int) -> ConsumerGroupHeartbeatRequest:
        return ConsumerGroupHeartbeatRequest(
            group_id=self.options.group_id,
            member_id=self.member_id,
            member_epoch=epoch,
            instance_id=self.options.instance_id,
        )

    def _to_say(self) -> _Said:
        """What it has counts when it is all that it was to have: while that changes, as before."""
        owned, change = frozenset(self._owned), self._changes
        if self.state is EpochState.RECONCILING and self._said is not None:
            owned, change = self._said.owned, self._said.change
        return _Said(self.topics, self.regex, owned, change)

    def _move(self, what: EpochInput) -> None:
        self.state = TRANSITIONS[self.state][what]


def _places(assignment: Assignment) -> frozenset[Place]:
    return frozenset(
        Place(bytes(row.topic_id), partition)
        for row in assignment.topic_partitions
        for partition in row.partitions
    )


def _rows(places: Iterable[Place]) -> list[TopicPartitions]:
    by_topic: dict[bytes, list[int]] = {}
    for topic_id, partition in sorted(places):
        by_topic.setdefault(topic_id, []).append(partition)
    return [TopicPartitions(topic_id=each, partitions=rows) for each, rows in by_topic.items()]
