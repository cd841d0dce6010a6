"""The properties of a broker about streams groups (KIP-1071): their sessions and assignments."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import INT_MAX, MEDIUM, integer


def _milliseconds(default: int, text: str, low: int = 1) -> int:
    return integer(default, MEDIUM, f"{text}, in milliseconds.", low=low)


class StreamsGroupConfig(Configuration):
    """What streams groups obey where they have no properties of their own."""

    group_streams_session_timeout_ms: int = _milliseconds(
        45_000, "After how long without a heartbeat a member of a streams group is given up"
    )
    group_streams_min_session_timeout_ms: int = _milliseconds(
        45_000, "The shortest session that a streams group may have"
    )
    group_streams_max_session_timeout_ms: int = _milliseconds(
        60_000, "The longest session that a streams group may have"
    )
    group_streams_heartbeat_interval_ms: int = _milliseconds(
        5_000, "How often members of a streams group say that they are there"
    )
    group_streams_min_heartbeat_interval_ms: int = _milliseconds(
        5_000, "The shortest time between heartbeats that a streams group may have"
    )
    group_streams_max_heartbeat_interval_ms: int = _milliseconds(
        15_000, "The longest time between heartbeats that a streams group may have"
    )
    group_streams_assignment_interval_ms: int = _milliseconds(
        1_000, "How long it is at least from one assignment of a streams group to the next", low=0
    )
    group_streams_min_assignment_interval_ms: int = _milliseconds(
        0, "The least that a streams group may have for that", low=0
    )
    group_streams_max_assignment_interval_ms: int = _milliseconds(
        15_000, "The most that a streams group may have for that", low=0
    )
    group_streams_initial_rebalance_delay_ms: int = _milliseconds(
        3_000, "How long a new streams group waits for further members", low=0
    )
    group_streams_num_standby_replicas: int = integer(
        0, MEDIUM, "How many copies of a task's state a streams group keeps ready.", low=0
    )
    group_streams_max_standby_replicas: int = integer(
        2, MEDIUM, "The most copies that a streams group may have.", low=0
    )
    group_streams_max_size: int = integer(
        INT_MAX, MEDIUM, "The most members that a streams group may have.", low=1
    )
