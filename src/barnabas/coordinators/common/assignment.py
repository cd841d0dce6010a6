"""What an assignor is given: who subscribes to what, and what everybody was to have before."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from barnabas.coordinators.common.topic_partitions import Place

Shares = dict[str, frozenset[Place]]
"""Partitions by member."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """Members by their ids, topics by theirs.

    `subscriptions`: the topics of each member that there are. `partitions`: how many a topic has.
    `before`: what members were to have until now. `instances`: the names of static members.
    """

    subscriptions: Mapping[str, frozenset[bytes]]
    partitions: Mapping[bytes, int]
    before: Mapping[str, frozenset[Place]]
    instances: Mapping[str, str]

    def places_of(self, topic_id: bytes) -> list[Place]:
        """All partitions of a topic."""
        return [Place(topic_id, index) for index in range(self.partitions[topic_id])]


Assignor = Callable[[Wishes], Shares]
