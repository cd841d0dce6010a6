"""ReplicaRoles: begins and ends the roles of this broker's replicas.

A replica with a role leads its partition or follows the leader; one without a role is offline. *Not* here:
which role a replica has (`image_updates`), copying (`fetchers`), what a leader decides (`replication`).
"""

import logging
from collections.abc import Callable, Mapping
from typing import NamedTuple

from barnabas.broker.cluster.fetchers import Fetchers
from barnabas.broker.cluster.inter_broker import InterBrokerVersions
from barnabas.broker.cluster.member_topics import MemberTopics
from barnabas.broker.cluster.peer_connection import address_of
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.broker.replicas.leader_role import LeaderRole, LeaderRolePorts, tick_leaders
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.topics.hosting import Hosting
from barnabas.cluster.image import Broker, PartitionState
from barnabas.errors import ErrorCode, StorageError
from barnabas.replication.leader import Leadership
from barnabas.types import NodeId, TopicPartition

log = logging.getLogger(__name__)


class RolePorts(NamedTuple):
    """What roles need of the broker, beside its replicas and topics."""

    node_id: NodeId
    versions: InterBrokerVersions
    purgatory: Purgatory
    leader: LeaderRolePorts
    topic_id: Callable[[str], bytes]
    back_off_ms: Callable[[], int]
    """replica.fetch.backoff.ms"""


class ReplicaRoles:
    """The replicas that this broker has, each as leader, follower, or offline."""

    def __init__(
        self,
        ports: RolePorts,
        hosting: Hosting,
        replicas: ReplicaManager,
        topics: MemberTopics,
        fetchers: Fetchers,
    ) -> None:
        self.on_lead: list[Callable[[Partition], None]] = []
        """Each is called with a partition that this broker begins to lead."""
        self.on_role_end: list[Callable[[Partition], None]] = []
        """Each is called with a partition whose role has ended."""
        self._ports = ports
        self._hosting = hosting
        self._replicas = replicas
        self._topics = topics
        self._fetchers = fetchers
        self._brokers: dict[NodeId, int] = {}
        """The live brokers. UpdateMetadata does not send their epochs, hence -1."""

    def lead(self, place: TopicPartition, state: PartitionState, *, is_new: bool) -> None:
        """Lead a partition in this epoch. A new replica has no log yet.

        Raises:
            StorageError: the log has failed; the replica is offline.
        """
        leadership = Leadership(
            self._ports.node_id, state.leader_epoch, state.partition_epoch,
            frozenset(state.isr), state.replicas,
        )  # fmt: skip
        role = self.leading(place)
        if role is None:
            self._fetchers.leave(place)
            partition = self._host(place, is_new=is_new)
            role = LeaderRole(
                partition, leadership, self._topics.limits(place.topic), self._ports.leader
            )
            partition.leader_epoch, partition.role = state.leader_epoch, role
            for begin in self.on_lead:
                begin(partition)
        else:
            self._lead_on(place, role, leadership)
        role.know_brokers(self._brokers)
        log.info("leads a partition", extra={**place._asdict(), "epoch": state.leader_epoch})

    def _lead_on(self, place: TopicPartition, role: LeaderRole, leadership: Leadership) -> None:
        """Begin another leader epoch in the same role. Producers that wait for acks keep waiting."""
        self._replicas.write()
        try:
            role.begin_epoch(leadership)
        except StorageError:
            self._host(place, is_new=False)
            raise

    def follow(self, place: TopicPartition, state: PartitionState, *, is_new: bool) -> None:
        """Copy a partition from its leader in this epoch. A new replica has no log yet.

        Raises:
            StorageError: the log has failed; the replica is offline.
        """
        self._fetchers.leave(place)
        partition = self._host(place, is_new=is_new)
        role = FollowerRole(
            partition,
            state.leader_epoch,
            self._ports.purgatory,
            in_fetch=self._ports.versions.truncates_in_fetch,
            back_off_ms=self._ports.back_off_ms(),
        )
        partition.leader_epoch, partition.role = state.leader_epoch, role
        self._fetchers.follow(place, role, state.leader)
        fields = {"epoch": state.leader_epoch, "leader": state.leader}
        log.info("follows a partition", extra={**place._asdict(), **fields})

    def leave(self, place: TopicPartition) -> None:
        """End the role and remove the replica; its log stays on disk."""
        self._end(place, lambda _: self._replicas.leave_one(*place))

    def take_offline(self, place: TopicPartition) -> None:
        """End the role of a replica whose log has failed."""
        self._end(place, self._replicas.end_role)

    def stop(self, place: TopicPartition, *, deletes: bool) -> ErrorCode:
        """Leave a replica as StopReplica requests, and delete its log if that says so."""
        self.leave(place)
        try:
            if deletes:
                self._hosting.delete(place)
        except StorageError as error:
            log.error("replica not deleted", extra={**place._asdict(), "error": error})  # noqa: TRY400 - it says why
            return ErrorCode.KAFKA_STORAGE_ERROR
        return ErrorCode.NONE

    def sync_stops(self) -> ErrorCode:
        """Bring the deletions of `stop` to stable storage; KAFKA_STORAGE_ERROR if that fails."""
        try:
            self._hosting.sync_deletions()
        except StorageError as error:
            log.error("deleted replicas may be back after a power cut", extra={"error": error})  # noqa: TRY400 - it says why
            return ErrorCode.KAFKA_STORAGE_ERROR
        return ErrorCode.NONE

    def leading(self, place: TopicPartition) -> LeaderRole | None:
        """The role of a partition that this broker leads; None if it does not lead it."""
        partition = self._replicas.find(*place)
        role = partition.role if partition is not None else None
        return role if isinstance(role, LeaderRole) else None

    def know_brokers(self, brokers: Mapping[NodeId, Broker]) -> None:
        """Have fetchers and leaders work with these live brokers."""
        self._fetchers.know_brokers({one: address_of(broker) for one, broker in brokers.items()})
        self._brokers = dict.fromkeys(brokers, -1)
        for partition in [*self._replicas.partitions()]:
            if isinstance(partition.role, LeaderRole):
                partition.role.know_brokers(self._brokers)

    def tick(self) -> Steps[None]:
        """Have each leader check which followers lag."""
        yield from tick_leaders(self._replicas.partitions(), self._topics.limits)

    def _host(self, place: TopicPartition, *, is_new: bool) -> Partition:
        """Return the partition with its log and without a role. Raises StorageError: the log has failed."""
        own, topic_id = self._topics.config(place.topic), self._ports.topic_id(place.topic)
        partition = self._replicas.host(self._hosting.log_for(place, topic_id, own, is_new=is_new))
        self._report_end(partition)
        if partition.log.failure is not None:
            raise partition.log.offline()
        return partition

    def _end(self, place: TopicPartition, end: Callable[[Partition], object]) -> None:
        self._fetchers.leave(place)
        partition = self._replicas.find(*place)
        if partition is not None:
            end(partition)
            self._report_end(partition)

    def _report_end(self, partition: Partition) -> None:
        for forget in self.on_role_end:
            forget(partition)
