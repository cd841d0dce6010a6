"""Broker properties for consumer groups (KIP-848): sessions and assignments."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import INT_MAX, MEDIUM, integer, string, words


class ConsumerGroupConfig(Configuration):
    """Defaults and limits for consumer groups."""

    group_coordinator_rebalance_protocols: tuple[str, ...] = words(
        ("classic", "consumer", "streams"),
        MEDIUM,
        "The enabled group protocols. classic is required; share groups are always enabled.",
        choices=("classic", "consumer", "share", "streams"),
    )
    group_consumer_session_timeout_ms: int = integer(
        45_000,
        MEDIUM,
        "The time without a heartbeat after which a member of a consumer group is removed, in "
        "milliseconds.",
        low=1,
    )
    group_consumer_min_session_timeout_ms: int = integer(
        45_000, MEDIUM, "The minimum session timeout of a consumer group, in milliseconds.", low=1
    )
    group_consumer_max_session_timeout_ms: int = integer(
        60_000, MEDIUM, "The maximum session timeout of a consumer group, in milliseconds.", low=1
    )
    group_consumer_heartbeat_interval_ms: int = integer(
        5_000,
        MEDIUM,
        "The time between heartbeats of a member of a consumer group, in milliseconds.",
        low=1,
    )
    group_consumer_min_heartbeat_interval_ms: int = integer(
        5_000, MEDIUM, "The minimum heartbeat interval of a consumer group, in milliseconds.", low=1
    )
    group_consumer_max_heartbeat_interval_ms: int = integer(
        15_000,
        MEDIUM,
        "The maximum heartbeat interval of a consumer group, in milliseconds.",
        low=1,
    )
    group_consumer_assignment_interval_ms: int = integer(
        1_000,
        MEDIUM,
        "The minimum time between two assignments of a consumer group, in milliseconds.",
        low=0,
    )
    group_consumer_min_assignment_interval_ms: int = integer(
        0, MEDIUM, "The minimum that a consumer group may set for it, in milliseconds.", low=0
    )
    group_consumer_max_assignment_interval_ms: int = integer(
        15_000, MEDIUM, "The maximum that a consumer group may set for it, in milliseconds.", low=0
    )
    group_consumer_max_size: int = integer(
        INT_MAX, MEDIUM, "The maximum number of members of a consumer group.", low=1
    )
    group_consumer_assignors: tuple[str, ...] = words(
        ("uniform", "range"),
        MEDIUM,
        "The assignors for consumer groups; the first is the default.",
        choices=("uniform", "range"),
    )
    group_consumer_migration_policy: str = string(
        "bidirectional",
        MEDIUM,
        "Whether a group with members may change from classic to consumer groups, and back.",
        choices=("bidirectional", "upgrade", "downgrade", "disabled"),
    )
