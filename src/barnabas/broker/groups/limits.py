"""Limits on the properties of groups, and their values by type of group."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode


class GroupLimit(NamedTuple):
    """A number under a group's name for it, times in milliseconds, and what a group may have."""

    name: str
    value: int
    low: int
    high: int

    def of(self, own: Mapping[str, str]) -> int:
        """The group's own value as far as it may have it, or the broker's."""
        given = own.get(self.name)
        return self.value if given is None else min(max(int(given), self.low), self.high)


class GroupTimes(NamedTuple):
    """What groups of one kind have."""

    session: GroupLimit
    heartbeat: GroupLimit
    assignment: GroupLimit


def _limited(config: BrokerConfig, kind: str, name: str) -> GroupLimit:
    """What the broker's properties `group.KIND.NAME`, `.min.NAME` and `.max.NAME` say."""
    low, value, high = (config.value(f"group.{kind}.{part}{name}") for part in ("min.", "", "max."))
    assert isinstance(low, int)
    assert isinstance(value, int)
    assert isinstance(high, int)
    return GroupLimit(f"{kind}.{name}", value, low, high)


def times_of(config: BrokerConfig, kind: str) -> GroupTimes:
    """The times of groups of a kind: consumer, share or streams."""
    return GroupTimes(
        _limited(config, kind, "session.timeout.ms"),
        _limited(config, kind, "heartbeat.interval.ms"),
        _limited(config, kind, "assignment.interval.ms"),
    )


class DeliveryLimits(NamedTuple):
    """What share groups obey when they deliver records."""

    locks: GroupLimit
    deliveries: GroupLimit
    lock_duration: GroupLimit


def share_deliveries(config: BrokerConfig) -> DeliveryLimits:
    """How share groups deliver."""
    return DeliveryLimits(
        _limited(config, "share", "partition.max.record.locks"),
        _limited(config, "share", "delivery.count.limit"),
        _limited(config, "share", "record.lock.duration.ms"),
    )


def streams_standbys(config: BrokerConfig) -> GroupLimit:
    """How many standby tasks streams groups have for each task with state."""
    return GroupLimit(
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
    times = [one for kind in ("consumer", "share", "streams") for one in times_of(config, kind)]
    for limited in (*times, *share_deliveries(config), streams_standbys(config)):
        given = own.get(limited.name)
        if given is not None and not limited.low <= int(given) <= limited.high:
            raise BrokerError(
                ErrorCode.INVALID_CONFIG,
                f"{limited.name}={given}: this broker takes {limited.low} to {limited.high}",
            )
