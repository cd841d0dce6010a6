"""Small values that all packages share: names for numbers, and frozen pairs, and how a host is written."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, NewType

Offset = NewType("Offset", int)
NodeId = NewType("NodeId", int)
LeaderEpoch = NewType("LeaderEpoch", int)
ProducerId = NewType("ProducerId", int)
ProducerEpoch = NewType("ProducerEpoch", int)
TimestampMs = NewType("TimestampMs", int)

NO_OFFSET = Offset(-1)
NO_LEADER_EPOCH = LeaderEpoch(-1)
NO_PRODUCER_ID = ProducerId(-1)
NO_PRODUCER_EPOCH = ProducerEpoch(-1)
NO_TIMESTAMP = TimestampMs(-1)

READ_COMMITTED = 1
"""The `isolation_level` of Fetch and ListOffsets that leaves out what is not committed (KIP-98)."""

Buffer = bytes | bytearray | memoryview
"""A buffer for bulk data. (collections.abc.Buffer needs Python 3.12.)"""


class TopicPartition(NamedTuple):
    """One partition of one topic; sorts by topic, then partition."""

    topic: str
    partition: int


class OffsetRange(NamedTuple):
    """The offsets [start, end) of one partition; empty when start >= end."""

    topic: str
    partition: int
    start: Offset
    end: Offset


class Topic(NamedTuple):
    """One topic. `partitions`: replicas by partition; `config`: its own properties as texts."""

    name: str
    topic_id: bytes
    partitions: Mapping[int, list[int]]
    config: Mapping[str, str]


class RequestedTopic(NamedTuple):
    """A topic that is to be made: the same without an id."""

    name: str
    partitions: Mapping[int, list[int]]
    config: Mapping[str, str]

    def with_id(self, topic_id: bytes) -> Topic:
        """The topic that it becomes; nobody changes its partitions."""
        partitions = MappingProxyType(dict(self.partitions))
        return Topic(self.name, topic_id, partitions, self.config)


NO_TOPIC_ID = bytes(16)
"""The id of a topic whose node has none: a Kafka before 2.8, or one of its tools, wrote it."""


new_tuple = tuple.__new__
"""`new_tuple(OffsetRange, values)`: create a named tuple in half the time of calling its class."""


def bracketed(host: str) -> str:
    """A host as addresses and URLs have it before the colon of the port: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


MUST_BE_NEW = -2
"""Instead of the version of a node: it must not exist."""

ANY_VERSION = -1


class NodeWrite(NamedTuple):
    """A change of a node that has this version. Without `data` it is deleted, with all below it.

    A new node may be ephemeral: it ends with the session that makes it.
    """

    path: str
    data: bytes | None
    version: int = ANY_VERSION
    ephemeral: bool = False
