"""Build a broker from its parts: topics, replicas, groups, transactions, cluster membership."""

from typing import TYPE_CHECKING, NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.groups.group_shards import GroupShards
from barnabas.broker.profiles import of_member, profile_of
from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.broker.purgatory.purgatory import Purgatory
from barnabas.broker.replicas.fetch_sessions import FetchSessions
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.requests.topics07 import fill_holes
from barnabas.broker.topics.hosting import Hosting
from barnabas.broker.topics.registered_topics import host_registered
from barnabas.broker.topics.topics import Topics
from barnabas.broker.transactions.producer_ids import ProducerIds
from barnabas.broker.zookeeper.registrations import Registries, join_cluster
from barnabas.config.broker import BrokerConfig
from barnabas.log.manager import LogManager
from barnabas.ports import Clock, Disk, Entropy, Network, Registry, Timers, Worker

if TYPE_CHECKING:
    from barnabas.broker.cluster.member import ClusterMember
    from barnabas.broker.topics.kraft_metadata import RecordedTopic


class Environment(NamedTuple):
    """The ports that a broker stands on; `network` and `timers` belong to one loop."""

    clock: Clock
    disk: Disk
    network: Network
    timers: Timers
    entropy: Entropy
    worker: Worker


def assemble(
    config: BrokerConfig,
    settings: BrokerSettings,
    environment: Environment,
    registries: Registries,
    logs: LogManager,
) -> Broker:
    """Make the services of a broker, and host its topics.

    `config` is what it was started with; `settings` has what was changed since. The logs are open.

    Raises:
        KafkaError: the registry cannot be read, or a log cannot be served.
    """
    disk, clock, timers, entropy = (
        environment.disk, environment.clock, environment.timers, environment.entropy,
    )  # fmt: skip
    memory = ClientMemory(config.client_state_max_bytes, clock)
    purgatory = Purgatory(timers, clock.monotonic, memory)
    replicas = ReplicaManager(clock, purgatory)
    if registries.shared is not None:
        join_cluster(registries.shared, logs.cluster_id)
    registry: Registry = registries.own
    hosting = Hosting(logs, replicas, settings.current)
    topics: Topics
    member = None
    if settings.current.cluster_member:
        registry, topics, member = _joined(
            settings.current, environment, registries, hosting, replicas, purgatory
        )
    else:
        topics = Topics(registry, hosting, entropy, settings.current)
        topics.shared = registries.shared
        host_registered(topics, logs, lambda: _recorded_topics(disk, logs))
        fill_holes(topics, config.node_id)
    profile = profile_of(config.release)
    slots = config.max_incremental_fetch_session_cache_slots
    broker = Broker(
        settings=settings,
        profile=profile if member is None else of_member(profile, member.release),
        cluster_id=logs.cluster_id,
        clock=clock,
        entropy=entropy,
        timers=timers,
        registry=registry,
        shared_registry=registries.shared,
        logs=logs,
        topics=topics,
        producer_ids=ProducerIds(registry, config.node_id, registries.shared),
        replicas=replicas,
        purgatory=purgatory,
        client_memory=memory,
        fetch_sessions=FetchSessions(slots, replicas, memory, clock, entropy),
        groups=GroupShards(topics, replicas, clock, config, memory, timers),
    )
    broker.be_member(member)
    return broker


def _joined(
    config: BrokerConfig,
    environment: Environment,
    registries: Registries,
    hosting: Hosting,
    replicas: ReplicaManager,
    purgatory: Purgatory,
) -> "tuple[Registry, Topics, ClusterMember]":
    """The registry of a member of a cluster, its topics, and its membership.

    Raises:
        ConfigError: it has no ZooKeeper.
    """
    # Imported late: a broker that is alone needs none of it.
    from barnabas.broker.cluster.joining import MemberPorts, join
    from barnabas.broker.topics.cluster_topics import ClusterTopics
    from barnabas.broker.znodes.config_reports import ReportedConfigs

    reported = ReportedConfigs(registries.shared) if registries.shared else None
    registry = reported or registries.own
    topics = ClusterTopics(registry, hosting, environment.entropy, config)
    topics.shared = reported
    ports = MemberPorts(
        environment.network, environment.timers, environment.clock, environment.entropy, purgatory
    )
    return registry, topics, join(config, registries.shared, ports, hosting, replicas, topics)


def _recorded_topics(disk: Disk, logs: LogManager) -> "dict[str, RecordedTopic]":
    """Of topics that a Kafka left in our directories."""
    # Imported late: a broker starts faster without it.
    from barnabas.broker.topics.kraft_metadata import recorded_topics

    return recorded_topics(disk, logs.usable_paths)
