"""GroupPolicies: what a consumer group obeys, of the broker's properties and its own."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.broker.broker_settings import BrokerSettings
from barnabas.broker.client_resources import ClientResources
from barnabas.broker.resource_kinds import ResourceKind
from barnabas.config.broker import BrokerConfig
from barnabas.coordinators.consumer_group.settings import ConsumerSettings
from barnabas.errors import BrokerError, ErrorCode


class _Time(NamedTuple):
    """A time in milliseconds that the broker says for all groups, and what a group may have."""

    name: str
    value: int
    low: int
    high: int

    def of(self, own: Mapping[str, str]) -> int:
        """The group's own value as far as it may have it, or the broker's."""
        given = own.get(self.name)
        return self.value if given is None else min(max(int(given), self.low), self.high)


def _session(config: BrokerConfig) -> _Time:
    return _Time(
        "consumer.session.timeout.ms",
        config.group_consumer_session_timeout_ms,
        config.group_consumer_min_session_timeout_ms,
        config.group_consumer_max_session_timeout_ms,
    )


def _heartbeat(config: BrokerConfig) -> _Time:
    return _Time(
        "consumer.heartbeat.interval.ms",
        config.group_consumer_heartbeat_interval_ms,
        config.group_consumer_min_heartbeat_interval_ms,
        config.group_consumer_max_heartbeat_interval_ms,
    )


def _assignment(config: BrokerConfig) -> _Time:
    return _Time(
        "consumer.assignment.interval.ms",
        config.group_consumer_assignment_interval_ms,
        config.group_consumer_min_assignment_interval_ms,
        config.group_consumer_max_assignment_interval_ms,
    )


class GroupPolicies:
    """The policies of all groups, kept until a property moves."""

    def __init__(self, settings: BrokerSettings, resources: ClientResources) -> None:
        self._settings = settings
        self._resources = resources
        self._made_from: tuple[BrokerConfig, int] | None = None
        self._known: dict[str, ConsumerSettings] = {}

    def of(self, group_id: str) -> ConsumerSettings:
        """What a group obeys now."""
        made_from = self._settings.current, self._resources.changes
        if made_from != self._made_from:
            self._made_from = made_from
            self._known = {}
        known = self._known.get(group_id)
        if known is None:
            own = self._resources.get(ResourceKind.GROUP, group_id)
            known = self._known[group_id] = _policy(self._settings.current, own)
        return known


def _policy(config: BrokerConfig, own: Mapping[str, str]) -> ConsumerSettings:
    policy = config.group_consumer_migration_policy.lower()
    return ConsumerSettings(
        session_ms=_session(config).of(own),
        heartbeat_ms=_heartbeat(config).of(own),
        assignment_interval_ms=_assignment(config).of(own),
        max_size=config.group_consumer_max_size,
        assignors=config.group_consumer_assignors,
        upgrades=policy in {"bidirectional", "upgrade"},
        downgrades=policy in {"bidirectional", "downgrade"},
        classic_max_size=config.group_max_size,
    )


def check_limits(config: BrokerConfig, own: Mapping[str, str]) -> None:
    """Whether a group may have these properties.

    Raises:
        BrokerError: INVALID_CONFIG: a time is not within the broker's limits.
    """
    for limited in (_session(config), _heartbeat(config), _assignment(config)):
        given = own.get(limited.name)
        if given is not None and not limited.low <= int(given) <= limited.high:
            raise BrokerError(
                ErrorCode.INVALID_CONFIG,
                f"{limited.name}={given}: this broker takes {limited.low} to {limited.high}",
            )
