"""Broker properties for streams groups (KIP-1071): sessions and assignments."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import INT_MAX, MEDIUM, integer


def _milliseconds(default: int, text: str, low: int = 1) -> int:
    return integer(default, MEDIUM, f"{text}, in milliseconds.", low=low)


class StreamsGroupConfig(Configuration):
    """Defaults and limits for streams groups."""

    group_streams_session_timeout_ms: int = _milliseconds(
        45_000, "The time without a heartbeat after which a member of a streams group is removed"
    )
    group_streams_min_session_timeout_ms: int = _milliseconds(
        45_000, "The minimum session timeout of a streams group"
    )
    group_streams_max_session_timeout_ms: int = _milliseconds(
        60_000, "The maximum session timeout of a streams group"
    )
    group_streams_heartbeat_interval_ms: int = _milliseconds(
        5_000, "The time between heartbeats of a member of a streams group"
    )
    group_streams_min_heartbeat_interval_ms: int = _milliseconds(
        5_000, "The minimum heartbeat interval of a streams group"
    )
    group_streams_max_heartbeat_interval_ms: int = _milliseconds(
        15_000, "The maximum heartbeat interval of a streams group"
    )
    group_streams_assignment_interval_ms: int = _milliseconds(
        1_000, "The minimum time between two assignments of a streams group", low=0
    )
    group_streams_min_assignment_interval_ms: int = _milliseconds(
        0, "The minimum that a streams group may set for it", low=0
    )
    group_streams_max_assignment_interval_ms: int = _milliseconds(
        15_000, "The maximum that a streams group may set for it", low=0
    )
    group_streams_initial_rebalance_delay_ms: int = _milliseconds(
        3_000, "How long a new streams group waits for more members", low=0
    )
    group_streams_num_standby_replicas: int = integer(
        0,
        MEDIUM,
        "The number of standby copies that a streams group keeps of a task's state.",
        low=0,
    )
    group_streams_max_standby_replicas: int = integer(
        2, MEDIUM, "The maximum number of standby copies that a streams group may set.", low=0
    )
    group_streams_max_size: int = integer(
        INT_MAX, MEDIUM, "The maximum number of members of a streams group.", low=1
    )
