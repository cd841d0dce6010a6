"""Times that the broker says for all groups of a kind, and that a group may have otherwise."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode


class LimitedTime(NamedTuple):
    """A time in milliseconds under a group's name for it, and what a group may have."""

    name: str
    value: int
    low: int
    high: int

    def of(self, own: Mapping[str, str]) -> int:
        """The group's own value as far as it may have it, or the broker's."""
        given = own.get(self.name)
        return self.value if given is None else min(max(int(given), self.low), self.high)


class Times(NamedTuple):
    """What groups of one kind have."""

    session: LimitedTime
    heartbeat: LimitedTime
    assignment: LimitedTime


def consumer_times(config: BrokerConfig) -> Times:
    """The times of consumer groups."""
    return Times(
        LimitedTime(
            "consumer.session.timeout.ms",
            config.group_consumer_session_timeout_ms,
            config.group_consumer_min_session_timeout_ms,
            config.group_consumer_max_session_timeout_ms,
        ),
        LimitedTime(
            "consumer.heartbeat.interval.ms",
            config.group_consumer_heartbeat_interval_ms,
            config.group_consumer_min_heartbeat_interval_ms,
            config.group_consumer_max_heartbeat_interval_ms,
        ),
        LimitedTime(
            "consumer.assignment.interval.ms",
            config.group_consumer_assignment_interval_ms,
            config.group_consumer_min_assignment_interval_ms,
            config.group_consumer_max_assignment_interval_ms,
        ),
    )


def streams_times(config: BrokerConfig) -> Times:
    """The times of streams groups."""
    return Times(
        LimitedTime(
            "streams.session.timeout.ms",
            config.group_streams_session_timeout_ms,
            config.group_streams_min_session_timeout_ms,
            config.group_streams_max_session_timeout_ms,
        ),
        LimitedTime(
            "streams.heartbeat.interval.ms",
            config.group_streams_heartbeat_interval_ms,
            config.group_streams_min_heartbeat_interval_ms,
            config.group_streams_max_heartbeat_interval_ms,
        ),
        LimitedTime(
            "streams.assignment.interval.ms",
            config.group_streams_assignment_interval_ms,
            config.group_streams_min_assignment_interval_ms,
            config.group_streams_max_assignment_interval_ms,
        ),
    )


def check_limits(config: BrokerConfig, own: Mapping[str, str]) -> None:
    """Whether a group may have these properties.

    Raises:
        BrokerError: INVALID_CONFIG: a time is not within the broker's limits.
    """
    for limited in (*consumer_times(config), *streams_times(config)):
        given = own.get(limited.name)
        if given is not None and not limited.low <= int(given) <= limited.high:
            raise BrokerError(
                ErrorCode.INVALID_CONFIG,
                f"{limited.name}={given}: this broker takes {limited.low} to {limited.high}",
            )
