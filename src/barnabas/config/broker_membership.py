"""The properties of a broker about the members of groups: their sessions, their number."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import INT_MAX, MEDIUM, integer


class MembershipConfig(Configuration):
    """What members of classic groups may ask for, and how long a group waits for them."""

    group_min_session_timeout_ms: int = integer(
        6000, MEDIUM, "The shortest session that a member of a group may ask for, in milliseconds."
    )
    group_max_session_timeout_ms: int = integer(
        1_800_000,
        MEDIUM,
        "The longest session that a member of a group may ask for, in milliseconds.",
    )
    group_initial_rebalance_delay_ms: int = integer(
        3000,
        MEDIUM,
        "How long a group that begins waits for more members, in milliseconds: 0 for none.",
    )
    group_max_size: int = integer(INT_MAX, MEDIUM, "The most members that a group may have.", low=1)
