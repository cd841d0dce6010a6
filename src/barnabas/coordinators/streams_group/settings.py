"""StreamsSettings: what a streams group obeys."""

from typing import NamedTuple


class StreamsSettings(NamedTuple):
    """Times in milliseconds. `standbys`: how many standby tasks each task with state is to have."""

    session_ms: int
    heartbeat_ms: int
    assignment_interval_ms: int
    initial_delay_ms: int
    standbys: int
    max_size: int
