"""What an admin client is told and tells, as plain values: topics, properties, ends of logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from barnabas.client.core.cluster.cluster_view import Broker
from barnabas.errors import ErrorCode
from barnabas.types import TopicPartition

EARLIEST: Final = -2
LATEST: Final = -1
MAX_TIMESTAMP: Final = -3
"""In place of a timestamp: the first offset, the end, the record with the greatest timestamp."""


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to be made; -1 for what the broker's own defaults decide.

    `assignments`, if any, holds for each partition its brokers, the preferred leader first; then
    the two counts are not looked at.
    """

    name: str
    partitions: int = -1
    replication_factor: int = -1
    configs: Mapping[str, str | None] = field(default_factory=dict)
    assignments: Sequence[Sequence[int]] = ()


@dataclass(frozen=True, slots=True)
class OffsetAndTimestamp:
    """An offset that was looked up. -1: there is none, or the broker does not tell."""

    offset: int
    timestamp: int = -1
    leader_epoch: int = -1


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """The brokers of a cluster; `controller` is -1 where nobody knows one."""

    cluster_id: str | None
    controller: int
    brokers: tuple[Broker, ...]


class Resource(IntEnum):
    """What properties belong to. Source: KIP-133, KIP-412, KIP-714, KIP-848."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigSource(IntEnum):
    """Where a value came from. Source: KIP-226."""

    UNKNOWN = 0
    TOPIC = 1
    BROKER_DYNAMIC = 2
    ALL_BROKERS_DYNAMIC = 3
    BROKER_STATIC = 4
    DEFAULT = 5
    BROKER_LOGGER = 6
    CLIENT_METRICS = 7
    GROUP = 8


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One property in force; the value is None where it is secret or unset."""

    name: str
    value: str | None
    source: ConfigSource = ConfigSource.UNKNOWN
    read_only: bool = False
    sensitive: bool = False
    documentation: str | None = None


@dataclass(frozen=True, slots=True)
class LogDirectory:
    """A directory of a broker. Sizes are in bytes; of the volume, -1 where they are not told.

    `sizes`: what the logs in it take, by partition. With an `error` nothing else is known.
    """

    path: str
    error: ErrorCode
    sizes: Mapping[TopicPartition, int]
    total_bytes: int = -1
    usable_bytes: int = -1


@dataclass(frozen=True, slots=True)
class ClientQuota:
    """How much somebody may use. `entity`: user, client-id or ip; a name of None: the default."""

    entity: Mapping[str, str | None]
    quotas: Mapping[str, float]
