"""Assignor: a strategy that assigns partitions of topics to the members of a group.

The leader of a group runs the assignor that the broker chose. Members may be other clients, so
names and user data are Kafka's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from barnabas.client.core.group.subscription import NO_GENERATION, Subscription, Subscriptions
from barnabas.types import TopicPartition

Assignment = dict[str, list[TopicPartition]]
"""The partitions of each member, by member id."""

Counts = Mapping[str, int]
"""The number of partitions of each topic; missing topics are omitted."""


@dataclass(frozen=True, slots=True)
class PreviousAssignment:
    """This member's partitions, and their generation, as its assignor reports them to the next leader."""

    partitions: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION


class Assignor(Protocol):
    """Computes assignments; knows nothing of requests.

    `cooperative`: a member keeps its partitions while it rejoins (KIP-429), so no partition moves
    before its owner releases it.
    """

    @property
    def name(self) -> str:
        """The name in JoinGroup."""
        ...

    @property
    def cooperative(self) -> bool:
        """Whether members keep reading during a rebalance."""
        ...

    def user_data(self, held: PreviousAssignment) -> bytes | None:
        """What the assignor needs to know about this member at its next run, on whatever member."""
        ...

    def assign(self, counts: Counts, members: Subscriptions) -> Assignment:
        """Assign each partition of each subscribed topic to one member that subscribes to it."""
        ...


def in_order(members: Subscriptions) -> list[str]:
    """Member ids in order; static members come first, by instance id: they keep their place after a restart.

    Source: Kafka's AbstractPartitionAssignor.MemberInfo.
    """

    def place(member_id: str) -> tuple[bool, str]:
        instance = members[member_id].instance_id
        return instance is None, member_id if instance is None else instance

    return sorted(members, key=place)


def subscribers(counts: Counts, members: Subscriptions) -> dict[str, list[str]]:
    """By topic in order of names: its subscribers, in order. Missing topics are omitted."""
    found: dict[str, list[str]] = {
        topic: [] for topic in sorted({one for each in members.values() for one in each.topics})
    }
    for member_id in in_order(members):
        for topic in dict.fromkeys(members[member_id].topics):
            found[topic].append(member_id)
    return {topic: wanting for topic, wanting in found.items() if counts.get(topic, 0) > 0}


def nothing_yet(members: Subscriptions) -> Assignment:
    """An empty assignment for each member, in the order of `in_order`."""
    return {member_id: [] for member_id in in_order(members)}


def wants(subscription: Subscription, where: TopicPartition, counts: Counts) -> bool:
    """Whether a member can get a partition."""
    there = 0 <= where.partition < counts.get(where.topic, 0)
    return there and where.topic in subscription.topics
