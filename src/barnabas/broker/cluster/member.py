"""ClusterMember: one broker of a cluster; carries out the controller's requests.

A request of the controller changes the image of the cluster; what that means for this broker's replicas is
carried out in steps. *Not* here: copying (`fetchers`), changes of ISRs (`isr_changes`), other requests to the
controller (`controller_client`).
"""

import logging
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from barnabas.broker.cluster.cluster_controller import ClusterController
from barnabas.broker.cluster.config_changes import ConfigChanges
from barnabas.broker.cluster.controller_client import ControllerClient
from barnabas.broker.cluster.controllership import ControllerPorts
from barnabas.broker.cluster.failed_logs import FailedLogs
from barnabas.broker.cluster.fetchers import Fetchers
from barnabas.broker.cluster.first_metadata import FirstMetadata
from barnabas.broker.cluster.inter_broker import release_of, versions_of
from barnabas.broker.cluster.isr_changes import IsrChanges, IsrPorts
from barnabas.broker.cluster.leader_rebalance import balance_of
from barnabas.broker.cluster.member_topics import Config, MemberTopics
from barnabas.broker.cluster.peer_connection import Address, OnAnswer, PeerConnection, address_of
from barnabas.broker.cluster.replica_fetcher import FetcherPorts, ReplicaFetcher
from barnabas.broker.cluster.replica_requests import FetchLimits
from barnabas.broker.purgatory.purgatory import Pending, Purgatory
from barnabas.broker.purgatory.registry_calls import ask
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.follower_role import FollowerRole
from barnabas.broker.replicas.leader_role import LeaderRole, LeaderRolePorts, tick_leaders
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.replicas.replication_throttles import ReplicationThrottles
from barnabas.broker.topics.cluster_topics import ClusterTopics
from barnabas.broker.topics.hosting import Hosting
from barnabas.cluster.deltas import Outcome, gone, leader_and_isr, stop_replica, update_metadata
from barnabas.cluster.image import ClusterImage, ImageDelta, PartitionState, TopicDelta
from barnabas.cluster.request_parts import new_replicas, split_request, stop_parts
from barnabas.cluster.roles import role_changes
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import listeners
from barnabas.errors import ErrorCode, StorageError
from barnabas.ports import Clock, Entropy, Network, SharedRegistry, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from barnabas.replication.leader import Leadership, Limits
from barnabas.types import NodeId, TopicPartition
from barnabas.wire.schema import NO_UUID

log = logging.getLogger(__name__)

_TICK_SECONDS = 1.0

_Part = LeaderAndIsrRequest | UpdateMetadataRequest
Errors = Mapping[TopicPartition, ErrorCode]
Places = AbstractSet[TopicPartition]


class MemberPorts(NamedTuple):
    """What a member stands on, beside ZooKeeper, its replicas and topics."""

    network: Network
    timers: Timers
    clock: Clock
    entropy: Entropy
    purgatory: Purgatory


class ClusterMember:
    """The image of the cluster, and this broker's part in it."""

    def __init__(
        self,
        config: BrokerConfig,
        registry: SharedRegistry,
        ports: MemberPorts,
        hosting: Hosting,
        replicas: ReplicaManager,
        topics: ClusterTopics,
    ) -> None:
        """Lead and follow nothing yet.

        Raises:
            ConfigError: inter.broker.protocol.version is none, or too old.
        """
        self.node_id = NodeId(config.node_id)
        self.image = ClusterImage()
        self.broker_epoch = -1
        """The number of this life of the broker (KIP-380); -1 until it is registered."""
        self.versions = versions_of(config.inter_broker_protocol_version)
        self.tick_seconds = min(_TICK_SECONDS, config.replica_lag_time_max_ms / 2000)
        self.first_metadata = FirstMetadata(ports.timers)
        self.on_close: list[Callable[[], None]] = []
        self.on_lead: list[Callable[[Partition], None]] = []
        """Is called with a partition that this broker begins to lead."""
        self.on_role_end: list[Callable[[Partition], None]] = []
        """Is called with a partition that this broker does not lead any more."""
        self._config, self._registry, self._ports = config, registry, ports
        self._hosting = hosting
        self._replicas = replicas
        self._failed_logs = FailedLogs(self.node_id, registry, replicas)
        self._isr_changes = IsrChanges(
            IsrPorts(
                self.node_id, self.versions, registry, ports.timers, ports.clock,
                lambda: self.broker_epoch, self._leading, self._state, self._ask_for_isr,
                self._isr_changed,
            )
        )  # fmt: skip
        self._leading_ports = LeaderRolePorts(
            ports.clock, ports.purgatory, self._isr_changes.propose
        )
        self.throttles = ReplicationThrottles(config)
        self._fetcher_ports = FetcherPorts(
            ports.clock, ports.timers,
            FetchLimits.of(config, self.versions, lambda: self.broker_epoch),
            self._topic_id, self.throttles.follower, self._log_failed,
        )  # fmt: skip
        self._fetchers = Fetchers(self._new_fetcher)
        self.to_controller = ControllerClient(
            config, self.versions, ports.timers, self.connect,
            lambda: self.image, lambda: self.broker_epoch,
        )  # fmt: skip
        self.controller = self._new_controller()
        self.config_changes = ConfigChanges(registry, ports.timers)
        strict = self.versions.strict_min_isr >= 0
        limits = Limits(
            config.min_insync_replicas, config.replica_lag_time_max_ms, strict_min_isr=strict
        )
        self.topics = MemberTopics(
            registry, topics, hosting, self.throttles, self.config_changes, limits
        )
        self.config_changes.on_change("topics", self._take_config)

    @property
    def release(self) -> str:
        """The release of Kafka that inter.broker.protocol.version stands for."""
        return release_of(self._config.inter_broker_protocol_version)

    # --- What the controller says -------------------------------------------------------------

    def take_leaders(self, request: LeaderAndIsrRequest) -> Steps[tuple[ErrorCode, Errors]]:
        """Lead and follow as a LeaderAndIsr says: its error, and those of its partitions."""
        errors: dict[TopicPartition, ErrorCode] = {}
        for part in split_request(request):
            outcome, configs = yield from self._decided(part)
            if outcome.error:
                return outcome.error, {}
            failed = yield from self._take(outcome.delta, configs, new_replicas(part))
            errors.update(outcome.errors)
            errors.update(failed)
            yield
        # Also in an epoch that is known: so the controller learns which replicas are offline.
        return ErrorCode.NONE, errors | dict.fromkeys(
            self._failed_logs.places(), ErrorCode.KAFKA_STORAGE_ERROR
        )

    def take_metadata(self, request: UpdateMetadataRequest) -> Steps[ErrorCode]:
        """Know what an UpdateMetadata says."""
        for part in split_request(request):
            outcome, configs = yield from self._decided(part)
            if outcome.error:
                return outcome.error
            yield from self._take(outcome.delta, configs)
            yield
        names_topics = yield from self.topics.name_all(request)
        yield from self._take(gone(self.image, request), {})
        yield from self.first_metadata.take(self.topics.are_none, names_topics=names_topics)
        return ErrorCode.NONE

    def stop_replicas(self, request: StopReplicaRequest) -> Steps[tuple[ErrorCode, Errors]]:
        """Stop replicas, and delete their logs where a StopReplica says so."""
        errors: dict[TopicPartition, ErrorCode] = {}
        for part in stop_parts(request):
            stopping = stop_replica(self.image, part, self.node_id, self.broker_epoch)
            if stopping.outcome.error:
                return stopping.outcome.error, {}
            failed = yield from self._take(stopping.outcome.delta, {})
            errors.update(stopping.outcome.errors)
            errors.update(failed)
            for place, deletes in stopping.stopped.items():
                errors[place] = self._stop_replica(place, deletes=deletes)
                yield
        return ErrorCode.NONE, errors

    def _stop_replica(self, place: TopicPartition, *, deletes: bool) -> ErrorCode:
        self._leave(place)
        try:
            if deletes:
                self._hosting.delete(place)
        except StorageError as error:
            log.error("replica not deleted", extra={**place._asdict(), "error": error})  # noqa: TRY400 - it says why
            return ErrorCode.KAFKA_STORAGE_ERROR
        return ErrorCode.NONE

    def _decided(self, part: _Part) -> Steps[tuple[Outcome, Mapping[str, Config]]]:
        """What a part of a request changes, with the properties of the topics that it brings.

        It is decided on anew when they are read: by then another controller may have sent something.
        """
        outcome = self._decide(part)
        new = self.topics.unknown(self.image, outcome.delta)
        if not new:
            return outcome, {}
        configs = yield from self.topics.read(new)
        return self._decide(part), configs

    def _decide(self, part: _Part) -> Outcome:
        if isinstance(part, UpdateMetadataRequest):
            return update_metadata(self.image, part, self.broker_epoch)
        return leader_and_isr(self.image, part, self.node_id, self.broker_epoch)

    def _take(
        self, delta: ImageDelta, configs: Mapping[str, Config], new: Places = frozenset()
    ) -> Steps[dict[TopicPartition, ErrorCode]]:
        """Change the image, and carry out what that means; the partitions for which it failed.

        What is asked of ZooKeeper and of the disk goes in steps: there may be thousands of topics. A role
        that another request has replaced meanwhile is left to that. `new`: the replicas that have no log.
        """
        before = self.image
        self.image = after = before.apply(delta)
        changes = role_changes(before, after, self.node_id)
        for place in changes.leave:
            self._leave(place)
        if delta.brokers:
            self._know_brokers()
        for name in delta.topics:
            self.topics.show(name, self.image.topics.get(name), configs.get(name))
            yield
        errors: dict[TopicPartition, ErrorCode] = {}
        for begin, rows in ((self._lead, changes.lead), (self._follow, changes.follow)):
            for place, state in rows:
                now = self._newest(place, state)
                if now is None:
                    continue
                try:
                    begin(place, now, is_new=place in new)
                except StorageError as error:
                    log.error("replica is offline", extra={**place._asdict(), "error": error})  # noqa: TRY400 - it says why
                    errors[place] = ErrorCode.KAFKA_STORAGE_ERROR
                yield
        for place, state in changes.update:
            role, now = self._leading(place), self._newest(place, state)
            if role is not None and now is not None:
                role.change(frozenset(now.isr), now.replicas, now.partition_epoch)
        return errors

    def _newest(self, place: TopicPartition, state: PartitionState) -> PartitionState | None:
        """What is known by now of a partition in this leader epoch; None if another one has begun."""
        now = self._state(place)
        if now is None or now.leader_epoch != state.leader_epoch:
            return None
        return now if self.node_id in now.replicas else None

    # --- Roles --------------------------------------------------------------------------------

    def _lead(self, place: TopicPartition, state: PartitionState, *, is_new: bool) -> None:
        leadership = Leadership(
            self.node_id, state.leader_epoch, state.partition_epoch,
            frozenset(state.isr), state.replicas,
        )  # fmt: skip
        role = self._leading(place)
        if role is None:
            self._fetchers.leave(place)
            partition = self._host(place, is_new=is_new)
            role = LeaderRole(
                partition, leadership, self.topics.limits(place.topic), self._leading_ports
            )
            partition.leader_epoch, partition.role = state.leader_epoch, role
            for begin in self.on_lead:
                begin(partition)
        else:
            self._lead_on(place, role, leadership)
        role.know_brokers(dict.fromkeys(self.image.brokers, -1))
        log.info("leads a partition", extra={**place._asdict(), "epoch": state.leader_epoch})

    def _lead_on(self, place: TopicPartition, role: LeaderRole, leadership: Leadership) -> None:
        """Begin another leader epoch of what this broker leads: who waits for acks goes on waiting."""
        self._replicas.write()
        try:
            role.begin_epoch(leadership)
        except StorageError:
            self._host(place, is_new=False)
            raise

    def _follow(self, place: TopicPartition, state: PartitionState, *, is_new: bool) -> None:
        self._fetchers.leave(place)
        partition = self._host(place, is_new=is_new)
        role = FollowerRole(
            partition,
            state.leader_epoch,
            self._ports.purgatory,
            in_fetch=self.versions.truncates_in_fetch,
            back_off_ms=self._config.replica_fetch_backoff_ms,
        )
        partition.leader_epoch, partition.role = state.leader_epoch, role
        self._fetchers.follow(place, role, state.leader)
        fields = {"epoch": state.leader_epoch, "leader": state.leader}
        log.info("follows a partition", extra={**place._asdict(), **fields})

    def _host(self, place: TopicPartition, *, is_new: bool) -> Partition:
        """The partition with its log, offline for now. Raises StorageError: the log has failed."""
        own, topic_id = self.topics.config(place.topic), self._topic_id(place.topic)
        partition = self._replicas.host(self._hosting.log_for(place, topic_id, own, is_new=is_new))
        for forget in self.on_role_end:
            forget(partition)
        if partition.log.failure is not None:
            raise partition.log.offline()
        return partition

    def _leave(self, place: TopicPartition) -> None:
        self._end(place, lambda _: self._replicas.leave_one(*place))

    def _log_failed(self, place: TopicPartition) -> None:
        self._end(place, self._replicas.end_role)

    def _end(self, place: TopicPartition, end: Callable[[Partition], object]) -> None:
        self._fetchers.leave(place)
        partition = self._replicas.find(*place)
        if partition is not None:
            end(partition)
            for forget in self.on_role_end:
                forget(partition)

    def _leading(self, place: TopicPartition) -> LeaderRole | None:
        partition = self._replicas.find(*place)
        role = partition.role if partition is not None else None
        return role if isinstance(role, LeaderRole) else None

    def _state(self, place: TopicPartition) -> PartitionState | None:
        return self.image.partition(place)

    def _isr_changed(self, place: TopicPartition, state: PartitionState) -> None:
        changes = TopicDelta(partitions={place.partition: state})
        self.image = self.image.apply(ImageDelta(topics={place.topic: changes}))

    def adopt(self, config: BrokerConfig) -> None:
        """Go on with these properties."""
        self._config = config
        self.throttles.adopt(config)
        self.controller.take_unclean_default()

    def tick(self) -> Steps[None]:
        """Report logs that have failed, and have leaders look who lags; due every `tick_seconds`."""
        for place in self._failed_logs.report():
            self._log_failed(place)
        yield from tick_leaders(self._replicas.partitions(), self.topics.limits)

    # --- Topics and brokers -------------------------------------------------------------------

    def _take_config(self, name: str) -> Steps[None]:
        """The properties of a topic have changed. Raises StorageError: they cannot be read."""
        self.controller.take_config(name, (yield from self.topics.take_config(name)))

    def _topic_id(self, name: str) -> bytes:
        topic = self.image.topics.get(name)
        return topic.topic_id if topic is not None else NO_UUID

    def _know_brokers(self) -> None:
        brokers = self.image.brokers
        self._fetchers.know_brokers({one: address_of(broker) for one, broker in brokers.items()})
        epochs = dict.fromkeys(brokers, -1)
        for partition in [*self._replicas.partitions()]:
            if isinstance(partition.role, LeaderRole):
                partition.role.know_brokers(epochs)

    # --- Requests of this broker --------------------------------------------------------------

    def _new_controller(self) -> ClusterController:
        ports = ControllerPorts(
            self.node_id, self._registry, self._ports.timers, self._ports.entropy, self.versions,
            self.connect, listeners(self._config)[0].name, lambda: self._config.delete_topic_enable,
            balance_of(self._config),
            lambda: self._config.unclean_leader_election_enable,
        )  # fmt: skip
        return ClusterController(ports, self._ports.clock)

    def _ask_for_isr(self, message: object, on_answer: OnAnswer) -> None:
        version = self.versions.alter_partition
        self.to_controller.ask(ApiKey.ALTER_PARTITION, version, message, on_answer)

    def _new_fetcher(self, address: Address) -> ReplicaFetcher:
        return ReplicaFetcher(self.connect(address), self._fetcher_ports)

    def ask_registry(self, work: Callable[[], object]) -> Pending:
        """What `work` gives, calls of the registry, when they have been answered."""
        return ask(self._registry, work)

    def connect(self, address: Address) -> PeerConnection:
        """A connection to another broker, to be made when it is used."""
        ports = self._ports
        return PeerConnection(ports.network, ports.timers, address, f"broker-{self.node_id}")

    def close(self) -> None:
        """Copy nothing more, and be no controller."""
        self.config_changes.is_over = True
        self.controller.stop()
        self.to_controller.close()
        self._fetchers.close()
        for close in self.on_close:
            close()
