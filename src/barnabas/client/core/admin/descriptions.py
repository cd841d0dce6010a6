"""Arguments and results of an admin client, as plain values: topics, properties, ends of logs."""

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
"""Instead of a timestamp: the first offset, the end, the record with the greatest timestamp."""


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to create; -1 for the broker's defaults.

    `assignments`, if any, lists the brokers of each partition, the preferred leader first; the two
    counts are then ignored.
    """

    name: str
    partitions: int = -1
    replication_factor: int = -1
    configs: Mapping[str, str | None] = field(default_factory=dict)
    assignments: Sequence[Sequence[int]] = ()


@dataclass(frozen=True, slots=True)
class OffsetAndTimestamp:
    """The result of an offset lookup. -1: there is none, or the broker does not report it."""

    offset: int
    timestamp: int = -1
    leader_epoch: int = -1


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """The brokers of a cluster; `controller` is -1 if unknown."""

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
    """The origin of a value. Source: KIP-226."""

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
    """One property in effect; the value is None if it is secret or unset."""

    name: str
    value: str | None
    source: ConfigSource = ConfigSource.UNKNOWN
    read_only: bool = False
    sensitive: bool = False
    documentation: str | None = None


@dataclass(frozen=True, slots=True)
class LogDirectory:
    """A directory of a broker. Sizes are in bytes; those of the volume are -1 if not reported.

    `sizes`: the sizes of its logs, by partition. With an `error`, nothing else is known.
    """

    path: str
    error: ErrorCode
    sizes: Mapping[TopicPartition, int]
    total_bytes: int = -1
    usable_bytes: int = -1


@dataclass(frozen=True, slots=True)
class ClientQuota:
    """The quotas of one entity. `entity`: user, client-id or ip; a name of None: the default."""

    entity: Mapping[str, str | None]
    quotas: Mapping[str, float]
