"""The properties of a broker about share groups (KIP-932): their sessions, locks and deliveries."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import MEDIUM, integer


class ShareGroupConfig(Configuration):
    """What share groups obey where they have no properties of their own."""

    group_share_session_timeout_ms: int = integer(
        45_000,
        MEDIUM,
        "After how long without a heartbeat a member of a share group is given up, in milliseconds.",
        low=1,
    )
    group_share_min_session_timeout_ms: int = integer(
        45_000,
        MEDIUM,
        "The shortest session that a share group may have, in milliseconds.",
        low=1,
    )
    group_share_max_session_timeout_ms: int = integer(
        60_000,
        MEDIUM,
        "The longest session that a share group may have, in milliseconds.",
        low=1,
    )
    group_share_heartbeat_interval_ms: int = integer(
        5_000,
        MEDIUM,
        "How often members of a share group say that they are there, in milliseconds.",
        low=1,
    )
    group_share_min_heartbeat_interval_ms: int = integer(
        5_000,
        MEDIUM,
        "The shortest time between heartbeats that a share group may have, in milliseconds.",
        low=1,
    )
    group_share_max_heartbeat_interval_ms: int = integer(
        15_000,
        MEDIUM,
        "The longest time between heartbeats that a share group may have, in milliseconds.",
        low=1,
    )
    group_share_assignment_interval_ms: int = integer(
        1_000,
        MEDIUM,
        "How long it is at least from one assignment of a share group to the next, in milliseconds.",
        low=0,
    )
    group_share_min_assignment_interval_ms: int = integer(
        0,
        MEDIUM,
        "The least that a share group may have for that, in milliseconds.",
        low=0,
    )
    group_share_max_assignment_interval_ms: int = integer(
        15_000,
        MEDIUM,
        "The most that a share group may have for that, in milliseconds.",
        low=0,
    )
    group_share_max_size: int = integer(
        200, MEDIUM, "The most members that a share group may have.", low=1, high=1000
    )
    group_share_record_lock_duration_ms: int = integer(
        30_000,
        MEDIUM,
        "How long a member of a share group has a record for itself, in milliseconds.",
        low=1_000,
        high=3_600_000,
    )
    group_share_min_record_lock_duration_ms: int = integer(
        15_000,
        MEDIUM,
        "The least that a share group may have for that, in milliseconds.",
        low=1_000,
        high=30_000,
    )
    group_share_max_record_lock_duration_ms: int = integer(
        60_000,
        MEDIUM,
        "The most that a share group may have for that, in milliseconds.",
        low=30_000,
        high=3_600_000,
    )
    group_share_delivery_count_limit: int = integer(
        5, MEDIUM, "How often a record is delivered to a share group at most.", low=2, high=10
    )
    group_share_min_delivery_count_limit: int = integer(
        2,
        MEDIUM,
        "The least deliveries that a share group may have as its limit.",
        low=2,
        high=5,
    )
    group_share_max_delivery_count_limit: int = integer(
        10,
        MEDIUM,
        "The most deliveries that a share group may have as its limit.",
        low=5,
        high=25,
    )
    group_share_partition_max_record_locks: int = integer(
        2_000,
        MEDIUM,
        "How many records of a partition members of a share group may have at once.",
        low=100,
        high=10_000,
    )
    group_share_min_partition_max_record_locks: int = integer(
        100,
        MEDIUM,
        "The least records at once that a share group may have as its limit.",
        low=100,
        high=2_000,
    )
    group_share_max_partition_max_record_locks: int = integer(
        4_000,
        MEDIUM,
        "The most records at once that a share group may have as its limit.",
        low=2_000,
        high=10_000,
    )
    group_share_max_share_sessions: int = integer(
        2_000, MEDIUM, "How many members of share groups may fetch at once.", low=1
    )
    share_coordinator_state_topic_num_partitions: int = integer(
        50, MEDIUM, "The number of partitions of __share_group_state.", low=1
    )
