"""Shares: the services that handlers of share groups (KIP-932) work with, joined."""

from collections.abc import Iterable

from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.groups.policies import Policies
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.shares.coordinator import ShareCoordinator
from barnabas.broker.shares.members import ShareMembers
from barnabas.broker.shares.offsets import ShareOffsets
from barnabas.broker.shares.partitions import SharePartitions, Time
from barnabas.broker.shares.policies import SharePolicy
from barnabas.broker.shares.sessions import ShareSessions
from barnabas.broker.shares.states import KeptShares
from barnabas.broker.topics.topics import Topics
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_state.states import StateKey


class Shares:
    """What share groups of one broker share. For one thread."""

    def __init__(
        self,
        topics: Topics,
        replicas: ReplicaManager,
        groups: GroupShards,
        time: Time,
        config: BrokerConfig,
        policies: Policies[SharePolicy],
    ) -> None:
        kept = KeptShares(topics, replicas, time.clock, time.timers, config)
        self.sessions = ShareSessions(config.group_share_max_share_sessions, time.memory)
        self.partitions = SharePartitions(topics, replicas, kept, policies, time, self._is_read)
        self.coordinator = ShareCoordinator(topics, kept, self.partitions, time.clock)
        self.members = ShareMembers(groups, time.timers, policies, self.partitions, self.sessions)
        self.offsets = ShareOffsets(topics, groups, self.partitions)

    def _is_read(self, key: StateKey) -> bool:
        group = self.offsets.find(key.group_id)
        return group is not None and key.topic_partition in group.read

    def forget_topic(self, topic_id: bytes) -> None:
        """Drop what is kept of a topic that is deleted."""
        self.partitions.forget_topic(topic_id)
        self.offsets.forget_topic(topic_id)

    def forget(self, group_id: str, places: Iterable[TopicIdPartition]) -> None:
        """Drop what is kept of places that a group has read."""
        self.partitions.forget_all(StateKey(group_id, place) for place in places)
