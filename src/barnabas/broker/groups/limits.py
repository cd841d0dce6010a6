"""What the broker says for all groups of a kind, and what a group may have instead: times mostly."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode


class Limited(NamedTuple):
    """A number under a group's name for it, times in milliseconds, and what a group may have."""

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

    session: Limited
    heartbeat: Limited
    assignment: Limited


def consumer_times(config: BrokerConfig) -> Times:
    """The times of consumer groups."""
    return Times(
        Limited(
            "consumer.session.timeout.ms",
            config.group_consumer_session_timeout_ms,
            config.group_consumer_min_session_timeout_ms,
            config.group_consumer_max_session_timeout_ms,
        ),
        Limited(
            "consumer.heartbeat.interval.ms",
            config.group_consumer_heartbeat_interval_ms,
            config.group_consumer_min_heartbeat_interval_ms,
            config.group_consumer_max_heartbeat_interval_ms,
        ),
        Limited(
            "consumer.assignment.interval.ms",
            config.group_consumer_assignment_interval_ms,
            config.group_consumer_min_assignment_interval_ms,
            config.group_consumer_max_assignment_interval_ms,
        ),
    )


def share_times(config: BrokerConfig) -> Times:
    """The times of share groups."""
    return Times(
        Limited(
            "share.session.timeout.ms",
            config.group_share_session_timeout_ms,
            config.group_share_min_session_timeout_ms,
            config.group_share_max_session_timeout_ms,
        ),
        Limited(
            "share.heartbeat.interval.ms",
            config.group_share_heartbeat_interval_ms,
            config.group_share_min_heartbeat_interval_ms,
            config.group_share_max_heartbeat_interval_ms,
        ),
        Limited(
            "share.assignment.interval.ms",
            config.group_share_assignment_interval_ms,
            config.group_share_min_assignment_interval_ms,
            config.group_share_max_assignment_interval_ms,
        ),
    )


class Deliveries(NamedTuple):
    """What share groups obey when they deliver records."""

    locks: Limited
    deliveries: Limited
    lock_duration: Limited


def share_deliveries(config: BrokerConfig) -> Deliveries:
    """How share groups deliver."""
    return Deliveries(
        Limited(
            "share.partition.max.record.locks",
            config.group_share_partition_max_record_locks,
            config.group_share_min_partition_max_record_locks,
            config.group_share_max_partition_max_record_locks,
        ),
        Limited(
            "share.delivery.count.limit",
            config.group_share_delivery_count_limit,
            config.group_share_min_delivery_count_limit,
            config.group_share_max_delivery_count_limit,
        ),
        Limited(
            "share.record.lock.duration.ms",
            config.group_share_record_lock_duration_ms,
            config.group_share_min_record_lock_duration_ms,
            config.group_share_max_record_lock_duration_ms,
        ),
    )


def streams_times(config: BrokerConfig) -> Times:
    """The times of streams groups."""
    return Times(
        Limited(
            "streams.session.timeout.ms",
            config.group_streams_session_timeout_ms,
            config.group_streams_min_session_timeout_ms,
            config.group_streams_max_session_timeout_ms,
        ),
        Limited(
            "streams.heartbeat.interval.ms",
            config.group_streams_heartbeat_interval_ms,
            config.group_streams_min_heartbeat_interval_ms,
            config.group_streams_max_heartbeat_interval_ms,
        ),
        Limited(
            "streams.assignment.interval.ms",
            config.group_streams_assignment_interval_ms,
            config.group_streams_min_assignment_interval_ms,
            config.group_streams_max_assignment_interval_ms,
        ),
    )


def streams_standbys(config: BrokerConfig) -> Limited:
    """How many standby tasks streams groups have for each task with state."""
    return Limited(
        "streams.num.standby.replicas",
        config.group_streams_num_standby_replicas,
        0,
        config.group_streams_max_standby_replicas,
    )


def check_limits(config: BrokerConfig, own: Mapping[str, str]) -> None:
    """Whether a group may have these properties.

    Raises:
        BrokerError: INVALID_CONFIG: a number is not within the broker's limits.
    """
    times = *consumer_times(config), *share_times(config), *streams_times(config)
    for limited in (*times, *share_deliveries(config), streams_standbys(config)):
        given = own.get(limited.name)
        if given is not None and not limited.low <= int(given) <= limited.high:
            raise BrokerError(
                ErrorCode.INVALID_CONFIG,
                f"{limited.name}={given}: this broker takes {limited.low} to {limited.high}",
            )
