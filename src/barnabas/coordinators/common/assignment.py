"""The input of an assignor: subscriptions, and the previous assignment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from barnabas.coordinators.common.topic_partitions import TopicIdPartition

Assignment = dict[str, frozenset[TopicIdPartition]]
"""Partitions by member."""


@dataclass(frozen=True, slots=True)
class Subscriptions:
    """Members by id, topics by id.

    `subscriptions`: the existing topics of each member. `partitions`: the number of partitions of
    each topic. `before`: the previous assignment. `instances`: the names of static members.
    """

    subscriptions: Mapping[str, frozenset[bytes]]
    partitions: Mapping[bytes, int]
    before: Mapping[str, frozenset[TopicIdPartition]]
    instances: Mapping[str, str]

    def partitions_of(self, topic_id: bytes) -> list[TopicIdPartition]:
        """All partitions of a topic."""
        return [TopicIdPartition(topic_id, index) for index in range(self.partitions[topic_id])]

    def audiences(self) -> "Audiences":
        """Find the members of each topic; most members of a large group subscribe to the same."""
        alike: dict[frozenset[bytes], list[str]] = {}
        for name in sorted(self.subscriptions):
            alike.setdefault(self.subscriptions[name], []).append(name)
        parts: dict[bytes, list[int]] = {topic_id: [] for topic_id in self.partitions}
        for part, topic_ids in enumerate(alike):
            for topic_id in topic_ids:
                parts[topic_id].append(part)
        numbers: dict[tuple[int, ...], int] = {}
        of_topic = {
            topic_id: numbers.setdefault(tuple(found), len(numbers))
            for topic_id, found in parts.items()
        }
        several = list(alike.values())
        names = [sorted(name for part in found for name in several[part]) for found in numbers]
        return Audiences(of_topic, names)


class Audiences(NamedTuple):
    """`of_topic`: the number of each topic's audience. `names`: the members of each, sorted."""

    of_topic: Mapping[bytes, int]
    names: Sequence[Sequence[str]]


Assignor = Callable[[Subscriptions], Assignment]
