"""Combinations of valid values that prevent a broker from starting.

Source: Kafka 4.3's GroupCoordinatorConfig, ShareGroupConfig and KafkaConfig, which refuse the same.
"""

from typing import Never, cast

from barnabas.config.broker import BrokerConfig
from barnabas.errors import ConfigError

_KINDS = ("consumer", "share", "streams")
_TIMES = ("heartbeat.interval.ms", "session.timeout.ms", "assignment.interval.ms")
_DELIVERIES = ("record.lock.duration.ms", "delivery.count.limit", "partition.max.record.locks")
_LIMITED = (
    *((kind, what) for kind in _KINDS for what in _TIMES),
    *(("share", what) for what in _DELIVERIES),
)

AT_MOST: tuple[tuple[str, str], ...] = (
    *((f"group.{kind}.min.{what}", f"group.{kind}.{what}") for kind, what in _LIMITED),
    *((f"group.{kind}.{what}", f"group.{kind}.max.{what}") for kind, what in _LIMITED),
    ("group.streams.num.standby.replicas", "group.streams.max.standby.replicas"),
    ("group.share.max.size", "group.share.max.share.sessions"),
)
"""Pairs whose first value must not exceed the second. This also orders each minimum and maximum."""

LESS: tuple[tuple[str, str], ...] = tuple(
    (f"group.{kind}.heartbeat.interval.ms", f"group.{kind}.session.timeout.ms") for kind in _KINDS
)
"""Pairs whose first value must be less than the second."""

_RETENTION = "log.retention.ms"
_PROTOCOLS = "group.coordinator.rebalance.protocols"


def check_at_start(config: BrokerConfig) -> None:
    """Check that a broker may start with these properties.

    Raises:
        ConfigError: two properties contradict each other, or retention would keep nothing.
    """
    for less, more in AT_MOST:
        if _number(config, less) > _number(config, more):
            _refuse(config, less, more, ("at most", "at least"))
    for less, more in LESS:
        if _number(config, less) >= _number(config, more):
            _refuse(config, less, more, ("less than", "more than"))
    kept = config.source_of(_RETENTION)
    if kept is not None and kept[1] == 0:
        # A topic may set 0; as the broker-wide default it would delete everything.
        raise ConfigError(f"{kept[0]}=0: expected -1 (forever) or at least 1")
    protocols = config.group_coordinator_rebalance_protocols
    if "classic" not in protocols:
        raise ConfigError(f"{_PROTOCOLS}={','.join(protocols)}: the list must contain classic")


def _number(config: BrokerConfig, name: str) -> int:
    return cast("int", config.value(name))


def _refuse(config: BrokerConfig, less: str, more: str, how: tuple[str, str]) -> Never:
    """Raise the error.

    It names the property that was set first, then its required relation to the other.
    """
    name, other, words = (less, more, how[0]) if less in config.given else (more, less, how[1])
    usual = "" if other in config.given else " by default"
    raise ConfigError(
        f"{name}={_number(config, name)}: it must be {words} {other}, "
        f"which is {_number(config, other)}{usual}"
    )
