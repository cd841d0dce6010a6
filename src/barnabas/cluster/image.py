"""ClusterImage: brokers, topics and the states of their partitions, at one moment.

It is immutable. A change makes a new image that shares all unchanged parts with the one before: a delta
costs what it changes, and a copy of the list of topics.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from barnabas.types import NodeId, TopicPartition
from barnabas.wire.schema import NO_UUID

K = TypeVar("K")
V = TypeVar("V")

NO_LEADER = NodeId(-1)
LEADER_DURING_DELETE = NodeId(-2)
"""What UpdateMetadata names as the leader of a partition whose topic is being deleted."""


class BrokerEndpoint(NamedTuple):
    """Where a broker is reached by one listener; the protocol is Kafka's number (0: PLAINTEXT)."""

    listener: str
    host: str
    port: int
    security_protocol: int = 0


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker that is alive. Its epoch is -1 where only the controller knows it (KIP-380)."""

    node_id: NodeId
    endpoints: tuple[BrokerEndpoint, ...] = ()
    rack: str | None = None
    epoch: int = -1

    def endpoint(self, listener: str) -> BrokerEndpoint | None:
        """Its address by a listener of this name."""
        return next((one for one in self.endpoints if one.listener == listener), None)


@dataclass(frozen=True, slots=True)
class PartitionState:
    """Leader, ISR and assigned replicas of a partition. The first replica is the preferred leader.

    `partition_epoch` is the version of the state's znode, or KRaft's own count. It grows with each
    change, `leader_epoch` with each change of leadership.
    """

    leader: NodeId
    leader_epoch: int
    isr: tuple[NodeId, ...]
    replicas: tuple[NodeId, ...]
    partition_epoch: int = 0
    controller_epoch: int = -1
    adding: tuple[NodeId, ...] = ()
    """Replicas that a reassignment adds (KIP-455); they are among `replicas`, as are the next."""
    removing: tuple[NodeId, ...] = ()
    offline: tuple[NodeId, ...] = ()
    """Replicas on brokers that are down, or in log directories that failed (KIP-112)."""
    recovering: bool = False
    """Its leader was out of sync when it was elected (KIP-704)."""

    @property
    def age(self) -> tuple[int, int]:
        """What orders the states of one partition."""
        return self.leader_epoch, self.partition_epoch


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, and its partitions by number. The id is NO_UUID where there are none (before 2.8)."""

    name: str
    topic_id: bytes = NO_UUID
    partitions: Mapping[int, PartitionState] = field(default_factory=dict)

    def is_other(self, topic_id: bytes) -> bool:
        """Whether the topic was deleted and made again under `topic_id`."""
        return NO_UUID not in {topic_id, self.topic_id} and topic_id != self.topic_id


@dataclass(frozen=True, slots=True)
class TopicDelta:
    """What changes of a topic. None for a partition: it is gone."""

    topic_id: bytes = NO_UUID
    partitions: Mapping[int, PartitionState | None] = field(default_factory=dict)
    is_new: bool = False
    """Whatever the image has under this name is another topic, and is gone."""


@dataclass(frozen=True, slots=True)
class ImageDelta:
    """What changes of an image. None for a broker or a topic: it is gone."""

    brokers: Mapping[NodeId, Broker | None] = field(default_factory=dict)
    topics: Mapping[str, TopicDelta | None] = field(default_factory=dict)
    controller: NodeId | None = None
    controller_epoch: int | None = None


@dataclass(frozen=True, slots=True)
class ClusterImage:
    """All that a broker knows of its cluster."""

    brokers: Mapping[NodeId, Broker] = field(default_factory=dict)
    """The brokers that are alive."""
    topics: Mapping[str, Topic] = field(default_factory=dict)
    names: Mapping[bytes, str] = field(default_factory=dict)
    """The names of topics by their ids."""
    controller: NodeId = NO_LEADER
    controller_epoch: int = 0

    def partition(self, partition: TopicPartition) -> PartitionState | None:
        """The state of a partition; None: there is none."""
        topic = self.topics.get(partition.topic)
        return topic.partitions.get(partition.partition) if topic else None

    def topic_by_id(self, topic_id: bytes) -> Topic | None:
        """The topic with this id."""
        name = self.names.get(topic_id)
        return self.topics.get(name) if name is not None else None

    def partitions(self) -> Iterator[tuple[TopicPartition, PartitionState]]:
        """All partitions with their states."""
        for topic in self.topics.values():
            for number, state in topic.partitions.items():
                yield TopicPartition(topic.name, number), state

    def live_replicas(self, state: PartitionState) -> tuple[NodeId, ...]:
        """The replicas on brokers that are alive, in log directories that work."""
        return tuple(
            one for one in state.replicas if one in self.brokers and one not in state.offline
        )

    def apply(self, delta: ImageDelta) -> "ClusterImage":
        """The image after a change."""
        topics, names = self.topics, self.names
        if delta.topics:
            topics, names = self._topics_after(delta.topics)
        return ClusterImage(
            _merged(self.brokers, delta.brokers) if delta.brokers else self.brokers,
            topics,
            names,
            self.controller if delta.controller is None else delta.controller,
            self.controller_epoch if delta.controller_epoch is None else delta.controller_epoch,
        )

    def _topics_after(
        self, changes: Mapping[str, TopicDelta | None]
    ) -> tuple[Mapping[str, Topic], Mapping[bytes, str]]:
        topics = dict(self.topics)
        names: dict[bytes, str] | None = None  # A copy, when the first id changes.
        for name, change in changes.items():
            before = topics.pop(name, None)
            after = _changed(name, before, change)
            if after is not None:
                topics[name] = after
            old_id = before.topic_id if before else NO_UUID
            new_id = after.topic_id if after else NO_UUID
            if old_id != new_id:
                names = dict(self.names) if names is None else names
                names.pop(old_id, None)
                if new_id != NO_UUID:
                    names[new_id] = name
        return topics, self.names if names is None else names


def _changed(name: str, before: Topic | None, change: TopicDelta | None) -> Topic | None:
    """A topic after a change; None: it has no partition any more."""
    if change is None:
        return None
    known = before if before and not change.is_new else Topic(name)
    topic_id = known.topic_id if change.topic_id == NO_UUID else change.topic_id
    partitions = _merged(known.partitions, change.partitions)
    return Topic(name, topic_id, partitions) if partitions else None


def _merged(before: Mapping[K, V], changes: Mapping[K, V | None]) -> Mapping[K, V]:
    """`before` with changes; what has become None is left out."""
    after = dict(before)
    for key, value in changes.items():
        if value is None:
            after.pop(key, None)
        else:
            after[key] = value
    return after
