"""Shares: the services that handlers of share groups (KIP-932) work with, joined."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from barnabas.broker.policies import Policies
from barnabas.broker.share_coordinator import ShareCoordinator
from barnabas.broker.share_members import ShareMembers
from barnabas.broker.share_offsets import ShareOffsets
from barnabas.broker.share_partitions import SharePartitions, Time
from barnabas.broker.share_policies import share_policy
from barnabas.broker.share_sessions import ShareSessions
from barnabas.broker.share_states import KeptShares
from barnabas.coordinators.consumer_group.places import Place
from barnabas.coordinators.share_state.states import StateKey

if TYPE_CHECKING:
    from barnabas.broker.broker import Broker


class Shares:
    """What share groups of one broker share. For one thread."""

    def __init__(self, broker: Broker) -> None:
        policies = Policies(broker.settings, broker.client_resources, share_policy)
        kept = KeptShares(broker.topics, broker.replicas, broker.clock, broker.config)
        self.sessions = ShareSessions(
            broker.config.group_share_max_share_sessions, broker.client_memory
        )
        time = Time(broker.purgatory, broker.clock, broker.timers, broker.client_memory)
        self.partitions = SharePartitions(
            broker.topics, broker.replicas, kept, policies, time, self._is_read
        )
        self.coordinator = ShareCoordinator(broker.topics, kept, self.partitions, broker.clock)
        self.members = ShareMembers(
            broker.groups, broker.timers, policies, self.partitions, self.sessions
        )
        self.offsets = ShareOffsets(broker.topics, broker.groups, self.partitions)

    def _is_read(self, key: StateKey) -> bool:
        group = self.offsets.find(key.group_id)
        return group is not None and key.place in group.read

    def forget_topic(self, topic_id: bytes) -> None:
        """Drop what is kept of a topic that is deleted."""
        self.partitions.forget_topic(topic_id)
        self.offsets.forget_topic(topic_id)

    def forget(self, group_id: str, places: Iterable[Place]) -> None:
        """Drop what is kept of places that a group has read."""
        for place in places:
            self.partitions.forget(StateKey(group_id, place), lambda _code: None)
