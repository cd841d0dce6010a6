"""Broker properties for share groups (KIP-932): sessions, locks and deliveries."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import HIGH, MEDIUM, integer, short


class ShareGroupConfig(Configuration):
    """Defaults and limits for share groups."""

    group_share_session_timeout_ms: int = integer(
        45_000,
        MEDIUM,
        "The time without a heartbeat after which a member of a share group is removed, in "
        "milliseconds.",
        low=1,
    )
    group_share_min_session_timeout_ms: int = integer(
        45_000,
        MEDIUM,
        "The minimum session timeout of a share group, in milliseconds.",
        low=1,
    )
    group_share_max_session_timeout_ms: int = integer(
        60_000,
        MEDIUM,
        "The maximum session timeout of a share group, in milliseconds.",
        low=1,
    )
    group_share_heartbeat_interval_ms: int = integer(
        5_000,
        MEDIUM,
        "The time between heartbeats of a member of a share group, in milliseconds.",
        low=1,
    )
    group_share_min_heartbeat_interval_ms: int = integer(
        5_000,
        MEDIUM,
        "The minimum heartbeat interval of a share group, in milliseconds.",
        low=1,
    )
    group_share_max_heartbeat_interval_ms: int = integer(
        15_000,
        MEDIUM,
        "The maximum heartbeat interval of a share group, in milliseconds.",
        low=1,
    )
    group_share_assignment_interval_ms: int = integer(
        1_000,
        MEDIUM,
        "The minimum time between two assignments of a share group, in milliseconds.",
        low=0,
    )
    group_share_min_assignment_interval_ms: int = integer(
        0,
        MEDIUM,
        "The minimum that a share group may set for it, in milliseconds.",
        low=0,
    )
    group_share_max_assignment_interval_ms: int = integer(
        15_000,
        MEDIUM,
        "The maximum that a share group may set for it, in milliseconds.",
        low=0,
    )
    group_share_max_size: int = integer(
        200, MEDIUM, "The maximum number of members of a share group.", low=1, high=1000
    )
    group_share_record_lock_duration_ms: int = integer(
        30_000,
        MEDIUM,
        "How long a member of a share group holds a delivered record, in milliseconds.",
        low=1_000,
        high=3_600_000,
    )
    group_share_min_record_lock_duration_ms: int = integer(
        15_000,
        MEDIUM,
        "The minimum that a share group may set for it, in milliseconds.",
        low=1_000,
        high=30_000,
    )
    group_share_max_record_lock_duration_ms: int = integer(
        60_000,
        MEDIUM,
        "The maximum that a share group may set for it, in milliseconds.",
        low=30_000,
        high=3_600_000,
    )
    group_share_delivery_count_limit: int = integer(
        5, MEDIUM, "The maximum number of deliveries of a record to a share group.", low=2, high=10
    )
    group_share_min_delivery_count_limit: int = integer(
        2,
        MEDIUM,
        "The minimum delivery limit that a share group may set.",
        low=2,
        high=5,
    )
    group_share_max_delivery_count_limit: int = integer(
        10,
        MEDIUM,
        "The maximum delivery limit that a share group may set.",
        low=5,
        high=25,
    )
    group_share_partition_max_record_locks: int = integer(
        2_000,
        MEDIUM,
        "The maximum number of records of a partition that members of a share group hold at once.",
        low=100,
        high=10_000,
    )
    group_share_min_partition_max_record_locks: int = integer(
        100,
        MEDIUM,
        "The minimum lock limit that a share group may set.",
        low=100,
        high=2_000,
    )
    group_share_max_partition_max_record_locks: int = integer(
        4_000,
        MEDIUM,
        "The maximum lock limit that a share group may set.",
        low=2_000,
        high=10_000,
    )
    group_share_max_share_sessions: int = integer(
        2_000, MEDIUM, "The maximum number of share group members that may fetch at once.", low=1
    )
    share_coordinator_state_topic_replication_factor: int = short(
        3,
        HIGH,
        "The replicas of the topic of share group states; fewer where fewer brokers are alive when it "
        "is made.",
        low=1,
        inert="without cluster.member nothing is replicated",
    )
    share_coordinator_state_topic_min_isr: int = short(
        2,
        HIGH,
        "The min.insync.replicas of that topic.",
        low=1,
        inert="without cluster.member nothing is replicated",
    )
    share_coordinator_state_topic_num_partitions: int = integer(
        50, MEDIUM, "The number of partitions of __share_group_state.", low=1
    )
