"""Assignor: one way to share the partitions of topics out among the members of a group.

The leader of a group runs the one that the broker chose; members of other clients take part, so
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
"""How many partitions each topic has; those that are not there are left out."""


@dataclass(frozen=True, slots=True)
class Held:
    """What this member has and since which generation, as its assignor tells it the next leader."""

    partitions: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION


class Assignor(Protocol):
    """Decides, and knows nothing of requests.

    `cooperative`: a member keeps what it has while it joins again (KIP-429), so nothing is given to
    one member before another has let go of it.
    """

    @property
    def name(self) -> str:
        """As in JoinGroup."""
        ...

    @property
    def cooperative(self) -> bool:
        """Whether members go on reading meanwhile."""
        ...

    def user_data(self, held: Held) -> bytes | None:
        """What it wants to know of this member when it runs the next time, on whatever member."""
        ...

    def assign(self, counts: Counts, members: Subscriptions) -> Assignment:
        """Each partition of each topic that anybody wants, to one member that wants the topic."""
        ...


def in_order(members: Subscriptions) -> list[str]:
    """Member ids, static members by their instance first: those keep their place when they restart.

    Source: Kafka's AbstractPartitionAssignor.MemberInfo.
    """

    def place(member_id: str) -> tuple[bool, str]:
        instance = members[member_id].instance_id
        return instance is None, member_id if instance is None else instance

    return sorted(members, key=place)


def subscribers(counts: Counts, members: Subscriptions) -> dict[str, list[str]]:
    """By topic in order of names: who wants it, in order. Topics that are not there are left out."""
    found: dict[str, list[str]] = {
        topic: [] for topic in sorted({one for each in members.values() for one in each.topics})
    }
    for member_id in in_order(members):
        for topic in dict.fromkeys(members[member_id].topics):
            found[topic].append(member_id)
    return {topic: wanting for topic, wanting in found.items() if counts.get(topic, 0) > 0}


def nothing_yet(members: Subscriptions) -> Assignment:
    """No partition to anybody, in the order of `in_order`."""
    return {member_id: [] for member_id in in_order(members)}


def wants(subscription: Subscription, where: TopicPartition, counts: Counts) -> bool:
    """Whether a member can have a partition."""
    there = 0 <= where.partition < counts.get(where.topic, 0)
    return there and where.topic in subscription.topics
