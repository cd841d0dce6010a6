"""Start a broker as a member of a cluster."""

from barnabas.broker.cluster.member import ClusterMember, MemberPorts
from barnabas.broker.replicas.replica_manager import ReplicaManager
from barnabas.broker.topics.cluster_topics import ClusterTopics
from barnabas.broker.topics.hosting import Hosting
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators import internal_topics
from barnabas.errors import ConfigError
from barnabas.ports import SharedRegistry

__all__ = ["MemberPorts", "join"]


def join(
    config: BrokerConfig,
    registry: SharedRegistry | None,
    ports: MemberPorts,
    hosting: Hosting,
    replicas: ReplicaManager,
    topics: ClusterTopics,
) -> ClusterMember:
    """Make this broker a member of a cluster. Existing logs are offline until the controller assigns roles.

    Raises:
        ConfigError: zookeeper.connect is missing, or inter.broker.protocol.version is invalid.
    """
    if registry is None:
        raise ConfigError("cluster.member: set zookeeper.connect to the cluster's ZooKeeper")
    member = ClusterMember(config, registry, ports, hosting, replicas, topics)
    for found in [*hosting.logs()]:
        replicas.host(found)
    ask = member.to_controller.ask_for_topic
    topics.join(
        member.controller,
        lambda wanted: ask(wanted, *_replication(config, wanted.name)),
        member.ask_registry,
    )
    return member


def _replication(config: BrokerConfig, topic: str) -> tuple[int, int | None]:
    """The replication factor of an internal topic, and its `min.insync.replicas`; None: the brokers'."""
    match topic:
        case internal_topics.TRANSACTIONS_TOPIC:
            least = config.transaction_state_log_min_isr
            return config.transaction_state_log_replication_factor, least
        case internal_topics.SHARES_TOPIC:
            least = config.share_coordinator_state_topic_min_isr
            return config.share_coordinator_state_topic_replication_factor, least
        case _:
            return config.offsets_topic_replication_factor, None
