"""The settings of a consumer group: the broker's properties and its own."""

from collections.abc import Mapping

from barnabas.broker.groups.limits import times_of
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.errors import BrokerError, ErrorCode


def check_protocol(config: BrokerConfig, kind: str) -> None:
    """Check that groups of a kind are enabled.

    Raises:
        BrokerError: UNSUPPORTED_VERSION: they are disabled in the configuration.
    """
    if kind not in config.group_coordinator_rebalance_protocols:
        raise BrokerError(ErrorCode.UNSUPPORTED_VERSION)


def consumer_policy(config: BrokerConfig, own: Mapping[str, str]) -> ConsumerSettings:
    """What a consumer group obeys that has these properties of its own."""
    times = times_of(config, "consumer")
    policy = config.group_consumer_migration_policy.lower()
    return ConsumerSettings(
        session_ms=times.session.of(own),
        heartbeat_ms=times.heartbeat.of(own),
        assignment_interval_ms=times.assignment.of(own),
        max_size=config.group_consumer_max_size,
        assignors=config.group_consumer_assignors,
        upgrades=policy in {"bidirectional", "upgrade"},
        downgrades=policy in {"bidirectional", "downgrade"},
        classic_max_size=config.group_max_size,
    )
