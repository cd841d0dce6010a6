"""The input of an assignor: subscriptions, and the previous assignment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


Assignor = Callable[[Subscriptions], Assignment]
