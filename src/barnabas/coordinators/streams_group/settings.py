"""StreamsSettings: the settings of a streams group."""

from typing import NamedTuple


class StreamsSettings(NamedTuple):
    """Times in milliseconds. `standbys`: the number of standby tasks for each stateful task."""

    session_ms: int
    heartbeat_ms: int
    assignment_interval_ms: int
    initial_delay_ms: int
    standbys: int
    max_size: int
