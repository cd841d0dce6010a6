"""GroupSettings: the broker's properties for classic groups."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """The properties of the broker that all classic groups obey. Times are in ms."""

    initial_delay_ms: int
    """How long the first rebalance of a group waits for more members (group.initial.rebalance.delay.ms)."""
    max_size: int
    """The most members of a group (group.max.size)."""
    new_member_timeout_ms: int = 300_000
    """How long a new member waits for its first response. Source: Kafka's newMemberJoinTimeoutMs."""
