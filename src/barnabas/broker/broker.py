"""Broker: the services that request handlers use. It starts and stops nothing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from barnabas.broker.groups.consumer_policies import consumer_policy
from barnabas.broker.groups.group_shards import GroupShards, Held
from barnabas.broker.groups.offsets import GroupOffsets
from barnabas.broker.groups.policies import Policies
from barnabas.broker.groups.registry_offsets import RegistryOffsets
from barnabas.broker.groups.removal import GroupRemoval
from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.properties.client_resources import ClientResources
from barnabas.broker.properties.profile import Profile
from barnabas.broker.properties.telemetry import Telemetry
from barnabas.broker.properties.telemetry_match import Software
from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.purgatory.registry_calls import RegistryCalls
from barnabas.broker.purgatory.slow_requests import SlowRequests
from barnabas.broker.purgatory.stepping import Stepping
from barnabas.broker.quotas.quotas import Quotas
from barnabas.broker.quotas.throttling import Throttling
from barnabas.broker.replicas.end_of_turn_writes import Turn
from barnabas.broker.replicas.fetch_sessions import FetchSessions
from barnabas.broker.replicas.log_moves import LogMoves
from barnabas.broker.replicas.partition import Partition
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.topics.known_topics import KnownTopics
from barnabas.broker.topics.topic_descriptions import TopicDescriptions
from barnabas.broker.topics.topics import Topics
from barnabas.broker.transactions.producer_ids import ProducerIds
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.consumer_group.environment import GroupEnvironment
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.coordinators.internal_topics import SHARES_TOPIC, TRANSACTIONS_TOPIC
from barnabas.dialects.kafka.requests import MessageCodecs
from barnabas.log.manager import LogManager
from barnabas.ports import Clock, Entropy, Registry, SharedRegistry, Timers
from barnabas.types import Topic

if TYPE_CHECKING:
    from barnabas.broker.cluster.member import ClusterMember
    from barnabas.broker.groups.members import GroupMembers
    from barnabas.broker.groups.streams_members import StreamsMembers
    from barnabas.broker.shares.shares import Shares
    from barnabas.broker.transactions.routed_additions import RoutedAdditions
    from barnabas.broker.transactions.transactions import Transactions


@dataclass(slots=True, kw_only=True)
class Broker:
    """One node. `advertised` is filled when the listeners are open: name → where clients connect.

    `software`: what clients are, by the number of their connection.
    """

    settings: BrokerSettings
    config: BrokerConfig = field(init=False)
    profile: Profile
    cluster_id: str
    clock: Clock
    entropy: Entropy
    timers: Timers
    registry: Registry
    logs: LogManager
    topics: Topics
    producer_ids: ProducerIds
    replicas: ReplicaManager
    purgatory: Purgatory
    client_memory: ClientMemory
    fetch_sessions: FetchSessions
    groups: GroupShards
    quotas: Quotas = field(init=False)
    throttling: Throttling = field(init=False)
    client_resources: ClientResources = field(init=False)
    telemetry: Telemetry = field(init=False)
    shared_registry: SharedRegistry | None = None
    """The registry, where others use it too and it may not answer."""
    software: dict[int, Software] = field(default_factory=dict)
    advertised: dict[str, Endpoint] = field(default_factory=dict)
    ways: MessageCodecs = field(init=False)
    log_moves: LogMoves = field(init=False)
    turn: Turn = field(init=False)
    stepping: Stepping = field(init=False)
    slow_requests: SlowRequests = field(init=False)
    descriptions: TopicDescriptions = field(init=False)
    registry_offsets: RegistryOffsets = field(init=False)
    registry_calls: RegistryCalls = field(init=False)
    offsets: GroupOffsets = field(init=False)
    group_removal: GroupRemoval = field(init=False)
    consumer_policies: Policies[ConsumerSettings] = field(init=False)
    member: "ClusterMember | None" = field(default=None, init=False)
    """What this broker is in a cluster of several; None: it is alone."""
    _members: "GroupMembers | None" = field(default=None, init=False)
    _shares: "Shares | None" = field(default=None, init=False)
    _streams: "StreamsMembers | None" = field(default=None, init=False)
    _transactions: "Transactions | None" = field(default=None, init=False)
    _additions: "RoutedAdditions | None" = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.config = self.settings.current
        self.client_resources = ClientResources(self.registry)
        self.telemetry = Telemetry(self.client_resources, self.clock)
        self.quotas = Quotas(self.registry)
        self.throttling = Throttling(self.quotas, self.config, self.clock)
        self.ways = MessageCodecs(self.profile.served, self.config.socket_request_max_memory_bytes)
        self.turn = Turn(self.replicas, self.timers)
        most_bytes = self.config.socket_request_max_memory_bytes
        self.stepping = Stepping(self.replicas.write, self.timers, self.clock.monotonic, most_bytes)
        self.slow_requests = SlowRequests(self.timers)
        self.log_moves = LogMoves(
            self.config, self.logs, self.clock, self.timers, self.replicas.write
        )
        self.replicas.on_slow = self.slow_requests.handled
        self.descriptions = TopicDescriptions(self.topics)
        self.registry_offsets = RegistryOffsets(self.registry)
        self.registry_calls = RegistryCalls(self.shared_registry or self.registry)
        self.offsets = GroupOffsets(self.groups, self.config)
        self.consumer_policies = Policies(self.settings, self.client_resources, consumer_policy)
        self.groups.environment = GroupEnvironment(
            KnownTopics(self.topics), self.consumer_policies.of
        )
        self.groups.on_loaded.append(self._begin_groups)
        self.group_removal = GroupRemoval(self.groups, self._forget_shares)
        self.topics.deletions.on_deleted.append(self._forget_topics)

    def be_member(self, member: "ClusterMember | None") -> None:
        """Be one of several brokers; None: alone."""
        self.member = member
        if member is not None:
            member.on_lead.append(self._load)
            member.on_role_end.append(self._unload)

    def _load(self, partition: Partition) -> None:
        """This broker coordinates what a partition holds: what was decided there must come to its end."""
        if partition.log.topic_partition.topic == TRANSACTIONS_TOPIC:
            self.transactions.load_soon(partition)

    def _unload(self, partition: Partition) -> None:
        """Another broker may coordinate what a partition holds."""
        self.groups.unload(partition)
        if self._transactions is not None:
            self._transactions.unload(partition)
        if self._shares is not None:
            self._shares.unload(partition)

    def _forget_topics(self, topics: Sequence[Topic]) -> Iterator[None]:
        """What others know of topics goes with them."""
        yield from self.offsets.forget_topics({topic.name for topic in topics})
        for topic in topics:
            if self.member is None:  # In a cluster they belong to all brokers.
                self.registry_offsets.forget_topic(topic.name)
            if self.topics.get(SHARES_TOPIC) is not None:
                yield from self.shares.forget_topic(topic.topic_id)
            yield

    def _begin_groups(self, held: Held) -> None:
        """The sessions of the members of loaded groups begin."""
        self.members.begin(held)
        if any(held.shard.share.all()):
            self.shares.members.begin(held)
        if any(held.shard.streams.all()):
            self.streams.begin(held)

    def _forget_shares(self, group_id: str, places: Iterable[TopicIdPartition]) -> None:
        self.shares.forget(group_id, places)

    def forget_client(self, connection: int) -> None:
        """A client has disconnected: close its sessions, and release its records of share groups."""
        self.fetch_sessions.disconnected(connection)
        self.software.pop(connection, None)
        self.telemetry.disconnected(connection)
        if self._shares is not None:
            self._shares.on_disconnected(connection)

    def end_groups(self) -> None:
        """Respond to all waiting group requests that this broker is not the coordinator any more."""
        if self._members is not None:
            self._members.stop()

    @property
    def members(self) -> "GroupMembers":
        """The members of groups. Created when first needed, so that a broker starts faster."""
        if self._members is None:
            from barnabas.broker.groups.classic_membership import GroupMembership
            from barnabas.broker.groups.members import GroupMembers

            classic = GroupMembership(self.groups, self.timers)
            self._members = GroupMembers(
                self.groups, self.timers, self.stepping, self.consumer_policies, classic
            )
        return self._members

    @property
    def shares(self) -> "Shares":
        """The share groups. Created when first needed, as the members are."""
        if self._shares is None:
            from barnabas.broker.shares.partition_time import SharePartitionTime
            from barnabas.broker.shares.policies import share_policy
            from barnabas.broker.shares.shares import Shares
            from barnabas.broker.shares.states import ShareStateShards

            time = SharePartitionTime(
                self.purgatory, self.clock, self.timers, self.client_memory, self.stepping
            )
            policies = Policies(self.settings, self.client_resources, share_policy)
            kept = ShareStateShards(
                self.topics,
                self.replicas,
                self.clock,
                self.timers,
                self.config,
                one_by_one=self.member is not None,
            )
            self._shares = Shares(kept, self.groups, time, self.config, policies, self.member)
        return self._shares

    @property
    def streams(self) -> "StreamsMembers":
        """The streams groups. Created when first needed, as the members are."""
        if self._streams is None:
            from barnabas.broker.groups.streams_members import StreamsMembers
            from barnabas.broker.groups.streams_policies import streams_policy

            policies = Policies(self.settings, self.client_resources, streams_policy)
            self._streams = StreamsMembers(self.groups, self.timers, policies)
        return self._streams

    @property
    def additions(self) -> "RoutedAdditions":
        """What asks the coordinators of transactions, of a member of a cluster."""
        if self._additions is None:
            from barnabas.broker.transactions.routed_additions import RoutedAdditions

            assert self.member is not None, "a broker that is alone is the coordinator"
            self._additions = RoutedAdditions(self.transactions, self.member, self.timers)
        return self._additions

    @property
    def transactions(self) -> "Transactions":
        """The transactional producers. Created when first needed, so that a broker starts faster."""
        if self._transactions is None:
            from barnabas.broker.properties.features import level_of
            from barnabas.broker.transactions.markers import TransactionMarkers
            from barnabas.broker.transactions.transaction_shards import TransactionShards
            from barnabas.broker.transactions.transactions import Transactions
            from barnabas.coordinators.transaction.shard import TransactionShard

            record_version = min(level_of(self.profile, "transaction.version"), 1)
            markers = TransactionMarkers(self.replicas, self.groups, self.clock)
            everywhere = None
            if self.member is not None:
                from barnabas.broker.transactions.routed_markers import RoutedMarkers

                everywhere = RoutedMarkers(markers, self.member, self.timers)
            self._transactions = Transactions(
                TransactionShards(
                    self.topics,
                    self.replicas,
                    self.clock,
                    self.timers,
                    self.config,
                    lambda: TransactionShard(self.producer_ids.next, record_version),
                ),
                markers,
                self.config,
                self.stepping,
                everywhere,
            )
        return self._transactions
