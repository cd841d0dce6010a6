"""GroupSettings: the broker's properties for classic groups."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """What all groups of a broker obey."""

    initial_delay_ms: int
    """How long a group that begins waits for more members."""
    max_size: int
    new_member_timeout_ms: int = 300_000
    """How long a member waits for its first answer. Source: Kafka's newMemberJoinTimeoutMs."""
