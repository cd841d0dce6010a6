"""The configuration of group membership, in its units."""

from dataclasses import dataclass
from typing import Final, Self

from barnabas.client.core.cluster.fallback import falls_back_before
from barnabas.client.core.group.assignor import Assignor
from barnabas.client.core.group.strategies import assignors
from barnabas.config.clients import CONSUMER, ConsumerConfig
from barnabas.errors import ConfigError

_LONGEST_BEFORE_0_10_1_MS: Final = 30_000
"""The default of group.max.session.timeout.ms before KIP-62."""


@dataclass(frozen=True, slots=True)
class GroupOptions:
    """Times in milliseconds; `assignors` in order of preference.

    `rebalance_ms` is max.poll.interval.ms: how long a rebalance waits for this member, and how long
    it may go without a poll. `instance_id`: of a static member (KIP-345). `broker_assigns`
    (KIP-848), with `remote_assignor` or the broker's default (None): the broker then sets the
    heartbeat interval.
    """

    group_id: str
    instance_id: str | None
    session_ms: int
    heartbeat_ms: int
    rebalance_ms: int
    assignors: tuple[Assignor, ...]
    broker_assigns: bool = False
    remote_assignor: str | None = None
    rack: str = ""

    @property
    def heartbeat_s(self) -> float:
        """The time between two heartbeats."""
        return self.heartbeat_ms / 1000

    @property
    def cooperative(self) -> bool:
        """Whether a member keeps what it has while it joins again: only if all assignors can."""
        return all(each.cooperative for each in self.assignors)

    @classmethod
    def of(cls, config: ConsumerConfig) -> Self | None:
        """Translate the properties; None where there is no group.

        Raises:
            ConfigError: a name is empty, heartbeats would be too seldom, or no assignor is named.
        """
        for name, given in (
            ("group.id", config.group_id),
            ("group.instance.id", config.group_instance_id),
        ):
            if given is not None and not given.strip():
                raise ConfigError(f"{name}: a name must not be empty; leave it out for none")
        if config.group_id is None:
            return None
        session_ms = _session_ms(config)
        if config.heartbeat_interval_ms >= session_ms:
            what = f"heartbeat.interval.ms={config.heartbeat_interval_ms}"
            raise ConfigError(f"{what}: it must be less than session.timeout.ms")
        if not config.partition_assignment_strategy:
            raise ConfigError("partition.assignment.strategy: it must name an assignor")
        return cls(
            config.group_id,
            config.group_instance_id,
            session_ms,
            config.heartbeat_interval_ms,
            config.max_poll_interval_ms,
            assignors(config.partition_assignment_strategy),
            config.group_protocol == CONSUMER,
            config.group_remote_assignor,
            config.client_rack,
        )


def _session_ms(config: ConsumerConfig) -> int:
    """The session timeout: as set; by default no longer than old brokers allow."""
    if "session.timeout.ms" not in config.given and falls_back_before(config, "0.10.1"):
        return min(config.session_timeout_ms, _LONGEST_BEFORE_0_10_1_MS)
    return config.session_timeout_ms
