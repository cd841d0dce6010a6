"""Shares: the services that handlers of share groups (KIP-932) use."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.groups.policies import Policies
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.shares.coordinator import ShareCoordinator
from barnabas.broker.shares.members import ShareMembers
from barnabas.broker.shares.offsets import ShareOffsets
from barnabas.broker.shares.partition_time import SharePartitionTime
from barnabas.broker.shares.partitions import ClusterStates, SharePartitions
from barnabas.broker.shares.policies import SharePolicy
from barnabas.broker.shares.sessions import ShareSessions
from barnabas.broker.shares.states import ShareStateShards
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_state.states import StateKey

if TYPE_CHECKING:
    from barnabas.broker.cluster.member import ClusterMember


class Shares:
    """The services for share groups of one broker. For one thread."""

    def __init__(
        self,
        kept: ShareStateShards,
        groups: GroupShards,
        time: SharePartitionTime,
        config: BrokerConfig,
        policies: Policies[SharePolicy],
        member: "ClusterMember | None",
    ) -> None:
        """`member`: of a cluster, where other brokers lead partitions and keep states, too."""
        self._kept = kept
        topics = kept.topics
        routed = None if member is None else _routed(kept, member, time)
        self.sessions = ShareSessions(config.group_share_max_share_sessions, time.memory)
        self.partitions = SharePartitions(kept, policies, time, self._is_read, routed)
        self.coordinator = ShareCoordinator(topics, kept, self.partitions, time.clock)
        states = None if routed is None else routed.states
        self.members = ShareMembers(groups, time.timers, policies, states)
        self.offsets = ShareOffsets(topics, groups, self.partitions, routed)

    def _is_read(self, key: StateKey) -> bool:
        group = self.offsets.find(key.group_id)
        return group is not None and key.topic_partition in group.read

    def forget_topic(self, topic_id: bytes) -> Steps[None]:
        """Delete the states of a deleted topic."""
        yield from self.partitions.stored.forget_topic(topic_id)
        yield from self.offsets.forget_topic(topic_id)

    def on_disconnected(self, connection: int) -> None:
        """Release the records that the members on a closed connection had acquired.

        A member that leaves, or whose session ends, keeps its records until then, or until their locks
        expire: it may acknowledge them at the same time, or late.
        """
        for group_id, member_id in self.sessions.of_connection(connection):
            self.end_session(group_id, member_id)

    def end_session(self, group_id: str, member_id: str) -> None:
        """End a member's session, and release its records."""
        self.sessions.close(group_id, member_id)
        self.partitions.locks.release(group_id, member_id)
        if not self.sessions.has(group_id):
            self.partitions.leave_group(group_id)

    def unload(self, partition: Partition) -> None:
        """Unload a partition that another broker may lead now."""
        self._kept.unload(partition)
        self.partitions.leave(partition)

    def forget(self, group_id: str, places: Iterable[TopicIdPartition]) -> None:
        """Delete the states of partitions that a group has read."""
        self.partitions.stored.forget_all(StateKey(group_id, place) for place in places)


def _routed(
    kept: ShareStateShards, member: "ClusterMember", time: SharePartitionTime
) -> ClusterStates:
    # Imported late: a broker that is alone needs none of it.
    from barnabas.broker.shares.partition_ends import PartitionEnds
    from barnabas.broker.shares.routed_states import RoutedStates
    from barnabas.broker.shares.state_reads import StateReads

    states = RoutedStates(kept, member, time.timers, time.clock)
    ends = PartitionEnds(member, time.timers)
    return ClusterStates(states, StateReads(states, time.purgatory), ends)
