"""ConsumerSettings: the settings of a consumer group."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConsumerSettings:
    """Times in milliseconds. The first of the assignors is the default.

    `upgrades`, `downgrades`: whether a live group may migrate from JoinGroup to heartbeats, and
    back.
    """

    session_ms: int
    heartbeat_ms: int
    assignment_interval_ms: int
    max_size: int
    assignors: tuple[str, ...]
    upgrades: bool
    downgrades: bool
    classic_max_size: int
