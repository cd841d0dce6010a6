"""Broker properties for members of a cluster: replication, and requests between brokers."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import (
    HIGH,
    LONG_MAX,
    LOW,
    MEDIUM,
    boolean,
    integer,
    long,
    optional_string,
    string,
)

RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


class ReplicationConfig(Configuration):
    """What a broker does with replicas; without `cluster.member` there are none."""

    cluster_member: bool = boolean(
        HIGH,
        default=False,
        text="Whether this broker joins the cluster of zookeeper.connect and replicates partitions. "
        "Otherwise it must be the only broker there. Not a Kafka property.",
    )
    inter_broker_protocol_version: str = string(
        "3.9-IV0",
        MEDIUM,
        "Specify which version of requests brokers send each other; the same for all members of a "
        "cluster, 0.11 or later.",
    )
    replica_lag_time_max_ms: int = long(
        30_000,
        HIGH,
        "If a follower has not caught up for so long, in milliseconds, it is no longer in sync.",
        low=1,
    )
    replica_fetch_wait_max_ms: int = integer(
        500, HIGH, "The maximum wait for records, in milliseconds, that a follower asks for.", low=0
    )
    replica_fetch_max_bytes: int = integer(
        1_048_576, MEDIUM, "The number of bytes that a follower asks for of one partition.", low=0
    )
    replica_fetch_response_max_bytes: int = integer(
        10_485_760, MEDIUM, "Maximum bytes expected in one response to a follower.", low=0
    )
    replica_fetch_backoff_ms: int = integer(
        1000,
        MEDIUM,
        "The amount of time, in milliseconds, that a follower waits after a failure.",
        low=0,
    )
    leader_replication_throttled_rate: int = long(
        LONG_MAX,
        MEDIUM,
        "The bytes a second that this broker sends of the partitions in the topics' "
        "leader.replication.throttled.replicas, to replicas that are not in sync.",
        low=0,
        internal=True,
    )
    follower_replication_throttled_rate: int = long(
        LONG_MAX,
        MEDIUM,
        "The bytes a second that this broker copies of the partitions in the topics' "
        "follower.replication.throttled.replicas, until it is in sync.",
        low=0,
        internal=True,
    )
    replica_alter_log_dirs_io_max_bytes_per_second: int = long(
        LONG_MAX,
        MEDIUM,
        "The bytes a second that this broker copies where replicas move to another log directory.",
        low=0,
        internal=True,
    )
    alter_log_dirs_replication_quota_window_num: int = integer(
        11,
        LOW,
        "The number of samples over which moves between log directories are measured.",
        low=1,
    )
    alter_log_dirs_replication_quota_window_size_seconds: int = integer(
        1, LOW, "The length of one sample of moves between log directories, in seconds.", low=1
    )
    replication_quota_window_num: int = integer(
        11, LOW, "The number of samples over which throttled replication is measured.", low=1
    )
    replication_quota_window_size_seconds: int = integer(
        1, LOW, "The length of one sample of throttled replication, in seconds.", low=1
    )
    controlled_shutdown_enable: bool = boolean(
        MEDIUM,
        default=True,
        text="Enable controlled shutdown: a member that stops has the controller move its leaders "
        "away first.",
    )
    auto_leader_rebalance_enable: bool = boolean(
        HIGH,
        default=True,
        text="Enable auto leader balancing: the controller of a cluster lets preferred leaders lead "
        "again where leader.imbalance.per.broker.percentage is exceeded.",
    )
    leader_imbalance_check_interval_seconds: int = long(
        300, HIGH, "How often the controller checks for that, in seconds.", low=1
    )
    leader_imbalance_per_broker_percentage: int = integer(
        10,
        HIGH,
        "The percentage of a broker's preferred partitions that others may lead.",
    )
    unclean_leader_election_enable: bool = boolean(
        HIGH,
        default=False,
        text="Indicates whether to enable replicas not in the ISR set to be elected as leader where no "
        "other is left: records may be lost. A topic's own property comes first.",
    )
    broker_rack: str | None = optional_string(
        MEDIUM,
        "Rack of the broker, by which a cluster spreads replicas, and consumers find a near one.",
    )
    replica_selector_class: str | None = optional_string(
        MEDIUM,
        "The fully qualified name of the class that selects the replica that a consumer reads from; "
        "by default the leader. With RackAwareReplicaSelector consumers read in their rack (client.rack).",
        choices=(RACK_AWARE,),
    )
