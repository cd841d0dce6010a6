"""Broker properties for group members: session timeouts and their number."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import INT_MAX, MEDIUM, integer


class MembershipConfig(Configuration):
    """Limits for members of classic groups, and how long a group waits for them."""

    group_min_session_timeout_ms: int = integer(
        6000, MEDIUM, "The minimum session timeout that a member may request, in milliseconds."
    )
    group_max_session_timeout_ms: int = integer(
        1_800_000,
        MEDIUM,
        "The maximum session timeout that a member may request, in milliseconds.",
    )
    group_initial_rebalance_delay_ms: int = integer(
        3000,
        MEDIUM,
        "How long a new group waits for more members, in milliseconds; 0 to wait for none.",
    )
    group_max_size: int = integer(
        INT_MAX, MEDIUM, "The maximum number of members of a group.", low=1
    )
