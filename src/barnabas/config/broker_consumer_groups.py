"""The properties of a broker about consumer groups (KIP-848): their sessions and assignments."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import INT_MAX, MEDIUM, integer, string, words


class ConsumerGroupConfig(Configuration):
    """What consumer groups obey where they have no properties of their own."""

    group_coordinator_rebalance_protocols: tuple[str, ...] = words(
        ("classic", "consumer", "streams"),
        MEDIUM,
        "The kinds of groups that there may be; classic ones always, share groups whatever it says.",
        choices=("classic", "consumer", "share", "streams"),
    )
    group_consumer_session_timeout_ms: int = integer(
        45_000,
        MEDIUM,
        "After how long without a heartbeat a member of a consumer group is given up, in milliseconds.",
        low=1,
    )
    group_consumer_min_session_timeout_ms: int = integer(
        45_000, MEDIUM, "The shortest session that a consumer group may have.", low=1
    )
    group_consumer_max_session_timeout_ms: int = integer(
        60_000, MEDIUM, "The longest session that a consumer group may have.", low=1
    )
    group_consumer_heartbeat_interval_ms: int = integer(
        5_000,
        MEDIUM,
        "How often members of a consumer group say that they are there, in milliseconds.",
        low=1,
    )
    group_consumer_min_heartbeat_interval_ms: int = integer(
        5_000, MEDIUM, "The shortest time between heartbeats that a consumer group may have.", low=1
    )
    group_consumer_max_heartbeat_interval_ms: int = integer(
        15_000, MEDIUM, "The longest time between heartbeats that a consumer group may have.", low=1
    )
    group_consumer_assignment_interval_ms: int = integer(
        1_000,
        MEDIUM,
        "How long it is at least from one assignment of a consumer group to the next, in milliseconds.",
        low=0,
    )
    group_consumer_min_assignment_interval_ms: int = integer(
        0, MEDIUM, "The least that a consumer group may have for that.", low=0
    )
    group_consumer_max_assignment_interval_ms: int = integer(
        15_000, MEDIUM, "The most that a consumer group may have for that.", low=0
    )
    group_consumer_max_size: int = integer(
        INT_MAX, MEDIUM, "The most members that a consumer group may have.", low=1
    )
    group_consumer_assignors: tuple[str, ...] = words(
        ("uniform", "range"),
        MEDIUM,
        "What assigns partitions to members of consumer groups; the first is the default.",
        choices=("uniform", "range"),
    )
    group_consumer_migration_policy: str = string(
        "bidirectional",
        MEDIUM,
        "Whether a group with members may go from the classic protocol to consumer groups, and back.",
        choices=("bidirectional", "upgrade", "downgrade", "disabled"),
    )
