"""ClusterMember: one broker of a cluster, and what it consists of.

*Not* here: applying the controller's requests (`image_updates`), roles (`replica_roles`), copying
(`fetchers`), changes of ISRs (`isr_changes`), other requests to the controller (`controller_client`).
"""

from collections.abc import Callable
from typing import NamedTuple

from barnabas.broker.cluster.cluster_controller import ClusterController
from barnabas.broker.cluster.config_changes import ConfigChanges
from barnabas.broker.cluster.controller_client import ControllerClient
from barnabas.broker.cluster.controllership import ControllerPorts
from barnabas.broker.cluster.failed_logs import FailedLogs
from barnabas.broker.cluster.fetchers import Fetchers
from barnabas.broker.cluster.first_metadata import FirstMetadata
from barnabas.broker.cluster.image_updates import Errors, ImageUpdates, MemberImage
from barnabas.broker.cluster.inter_broker import release_of, versions_of
from barnabas.broker.cluster.isr_changes import IsrChanges, IsrPorts
from barnabas.broker.cluster.leader_rebalance import balance_of
from barnabas.broker.cluster.member_topics import MemberTopics
from barnabas.broker.cluster.peer_connection import Address, OnAnswer, PeerConnection
from barnabas.broker.cluster.replica_fetcher import FetcherPorts, ReplicaFetcher
from barnabas.broker.cluster.replica_requests import FetchLimits
from barnabas.broker.cluster.replica_roles import ReplicaRoles, RolePorts
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.registry_calls import ask
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.replicas.leader_role import LeaderRole, LeaderRolePorts
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.replicas.replication_throttles import ReplicationThrottles
from barnabas.broker.topics.cluster_topics import ClusterTopics
from barnabas.broker.topics.hosting import Hosting
from barnabas.cluster.image import ClusterImage
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import listeners
from barnabas.errors import ErrorCode
from barnabas.ports import Clock, Entropy, Network, SharedRegistry, Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.leader_and_isr import LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import UpdateMetadataRequest
from barnabas.replication.leader import Limits
from barnabas.types import NodeId, TopicPartition

_TICK_SECONDS = 1.0


class MemberPorts(NamedTuple):
    """What a member needs, beside ZooKeeper, its replicas and topics."""

    network: Network
    timers: Timers
    clock: Clock
    entropy: Entropy
    purgatory: Purgatory


class ClusterMember:
    """This broker as a member of its cluster, of which it may be the controller."""

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
        self.versions = versions_of(config.inter_broker_protocol_version)
        self.tick_seconds = min(_TICK_SECONDS, config.replica_lag_time_max_ms / 2000)
        self.first_metadata = FirstMetadata(ports.timers)
        self.throttles = ReplicationThrottles(config)
        self.config_changes = ConfigChanges(registry, ports.timers)
        self.on_close: list[Callable[[], None]] = []
        self._config, self._registry, self._ports = config, registry, ports
        self._replicas = replicas
        self._known = known = MemberImage()
        self._failed_logs = FailedLogs(self.node_id, registry, replicas)
        self.to_controller = ControllerClient(
            config, self.versions, ports.timers, self.connect,
            lambda: known.image, known.epoch,
        )  # fmt: skip
        self.topics = self._new_topics(topics, hosting)
        self.config_changes.on_change("topics", self._take_config)
        self._fetchers = Fetchers(self._new_fetcher)
        self._roles = self._new_roles(hosting)
        self.on_lead, self.on_role_end = self._roles.on_lead, self._roles.on_role_end
        self._fetcher_ports = FetcherPorts(
            ports.clock, ports.timers, FetchLimits.of(config, self.versions, known.epoch),
            known.topic_id, self.throttles.follower, self._roles.take_offline,
        )  # fmt: skip
        self._updates = ImageUpdates(
            self.node_id, known, self.topics, self._roles, self._failed_logs
        )
        self.controller = self._new_controller()

    @property
    def release(self) -> str:
        """The release of Kafka that inter.broker.protocol.version stands for."""
        return release_of(self._config.inter_broker_protocol_version)

    @property
    def image(self) -> ClusterImage:
        """The cluster, as the controller's requests have shown it so far."""
        return self._known.image

    @property
    def broker_epoch(self) -> int:
        """The epoch of this broker's registration (KIP-380); -1 until it is registered."""
        return self._known.broker_epoch

    @broker_epoch.setter
    def broker_epoch(self, epoch: int) -> None:
        self._known.broker_epoch = epoch

    # --- Requests of the controller -----------------------------------------------------------

    def take_leaders(self, request: LeaderAndIsrRequest) -> Steps[tuple[ErrorCode, Errors]]:
        """Lead and follow as a LeaderAndIsr says; return its error, and those of its partitions."""
        return self._updates.take_leaders(request)

    def take_metadata(self, request: UpdateMetadataRequest) -> Steps[ErrorCode]:
        """Apply an UpdateMetadata, and return its error."""
        return self._updates.take_metadata(request, self.first_metadata)

    def stop_replicas(self, request: StopReplicaRequest) -> Steps[tuple[ErrorCode, Errors]]:
        """Stop replicas as a StopReplica says; return its error, and those of its partitions."""
        return self._updates.stop_replicas(request)

    # --- Properties and time ------------------------------------------------------------------

    def adopt(self, config: BrokerConfig) -> None:
        """Use these properties from now on."""
        self._config = config
        self.throttles.adopt(config)
        self.controller.take_unclean_default()

    def tick(self) -> Steps[None]:
        """Report failed logs, and have leaders check for lagging followers; due every `tick_seconds`."""
        for place in self._failed_logs.report():
            self._roles.take_offline(place)
        yield from self._roles.tick()

    def _take_config(self, name: str) -> Steps[None]:
        """Read the changed properties of a topic. Raises StorageError: they cannot be read."""
        self.controller.take_config(name, (yield from self.topics.take_config(name)))

    # --- Parts --------------------------------------------------------------------------------

    def _new_topics(self, topics: ClusterTopics, hosting: Hosting) -> MemberTopics:
        config, strict = self._config, self.versions.strict_min_isr >= 0
        limits = Limits(
            config.min_insync_replicas, config.replica_lag_time_max_ms, strict_min_isr=strict
        )
        return MemberTopics(
            self._registry, topics, hosting, self.throttles, self.config_changes, limits
        )

    def _new_roles(self, hosting: Hosting) -> ReplicaRoles:
        ports, known = self._ports, self._known
        isr_changes = IsrChanges(
            IsrPorts(
                self.node_id, self.versions, self._registry, ports.timers, ports.clock, known.epoch,
                self._leading, known.state, self._ask_for_isr, known.set_state,
            )
        )  # fmt: skip
        role_ports = RolePorts(
            self.node_id, self.versions, ports.purgatory,
            LeaderRolePorts(ports.clock, ports.purgatory, isr_changes.propose),
            known.topic_id, lambda: self._config.replica_fetch_backoff_ms,
        )  # fmt: skip
        return ReplicaRoles(role_ports, hosting, self._replicas, self.topics, self._fetchers)

    def _leading(self, place: TopicPartition) -> LeaderRole | None:
        return self._roles.leading(place)

    def _new_fetcher(self, address: Address) -> ReplicaFetcher:
        return ReplicaFetcher(self.connect(address), self._fetcher_ports)

    def _new_controller(self) -> ClusterController:
        ports = ControllerPorts(
            self.node_id, self._registry, self._ports.timers, self._ports.entropy, self.versions,
            self.connect, listeners(self._config)[0].name, lambda: self._config.delete_topic_enable,
            balance_of(self._config),
            lambda: self._config.unclean_leader_election_enable,
        )  # fmt: skip
        return ClusterController(ports, self._ports.clock)

    # --- Requests of this broker --------------------------------------------------------------

    def _ask_for_isr(self, message: object, on_answer: OnAnswer) -> None:
        version = self.versions.alter_partition
        self.to_controller.ask(ApiKey.ALTER_PARTITION, version, message, on_answer)

    def ask_registry(self, work: Callable[[], object]) -> Pending:
        """Run `work`, which calls the registry, beside the loop; the result completes what is returned."""
        return ask(self._registry, work)

    def connect(self, address: Address) -> PeerConnection:
        """Return a connection to another broker, which opens with the first request."""
        ports = self._ports
        return PeerConnection(ports.network, ports.timers, address, f"broker-{self.node_id}")

    def close(self) -> None:
        """Stop copying, and stop being the controller."""
        self.config_changes.is_over = True
        self.controller.stop()
        self.to_controller.close()
        self._fetchers.close()
        for close in self.on_close:
            close()
