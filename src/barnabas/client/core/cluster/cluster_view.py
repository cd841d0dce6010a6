"""The client's view of the cluster: brokers, topics, leaders, and its age. Sends nothing.

Invariant: the leader epoch of a partition never decreases, so that an old broker's metadata cannot
undo that of a newer one (KIP-320).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from barnabas.errors import ErrorCode
from barnabas.protocol.metadata import MetadataResponse, MetadataResponseTopic
from barnabas.types import TopicPartition
from barnabas.wire.schema import NO_UUID

_OFFSETS_TOPIC: Final = "__consumer_offsets"


def is_internal(row: MetadataResponseTopic) -> bool:
    """Whether a topic is Kafka's own. Brokers before 0.10 do not say so, and have only this one."""
    return row.is_internal or row.name == _OFFSETS_TOPIC


@dataclass(frozen=True, slots=True)
class Broker:
    """The address of a broker."""

    node_id: int
    host: str
    port: int
    rack: str | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port} (id {self.node_id})"


@dataclass(frozen=True, slots=True)
class PartitionView:
    """One partition; `leader` is -1 without one, `leader_epoch` -1 if not reported."""

    topic: str
    partition: int
    leader: int
    leader_epoch: int = -1
    replicas: tuple[int, ...] = ()
    in_sync: tuple[int, ...] = ()
    offline: tuple[int, ...] = ()
    error: ErrorCode = ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class TopicView:
    """One topic with its partitions in order of their number."""

    name: str
    topic_id: bytes = NO_UUID
    internal: bool = False
    error: ErrorCode = ErrorCode.NONE
    partitions: tuple[PartitionView, ...] = ()

    def numbered(self, partition: int) -> PartitionView | None:
        """The partition of that number; brokers may know only some, for example 2 without 1."""
        if 0 <= partition < len(self.partitions):
            found = self.partitions[partition]
            if found.partition == partition:
                return found
        return next((each for each in self.partitions if each.partition == partition), None)


def partitions_by_leader(topics: Mapping[str, TopicView]) -> dict[int, list[TopicPartition]]:
    """The partitions that each broker leads; those without a leader are under -1."""
    led: dict[int, list[TopicPartition]] = {}
    for view in topics.values():
        for one in view.partitions:
            led.setdefault(one.leader, []).append(TopicPartition(one.topic, one.partition))
    return led


@dataclass(slots=True)
class ClusterView:
    """The state collected from metadata responses.

    `updates` counts the responses: dependents compare it. Times are monotonic seconds.
    """

    max_age_s: float = 300.0
    cluster_id: str | None = None
    controller: int = -1
    brokers: dict[int, Broker] = field(default_factory=dict)
    topics: dict[str, TopicView] = field(default_factory=dict)
    updates: int = 0
    stale: bool = True
    _names: dict[bytes, str] = field(default_factory=dict)
    _updated_at: float = 0.0

    def update(self, response: MetadataResponse, now: float, *, partial: bool = False) -> bool:
        """Apply a response; return whether anything in it is new. Topics it does not name stay as they are.

        A `partial` response covers some topics only: the age of the view does not change.
        """
        known = self.controller, self.brokers
        self.cluster_id = response.cluster_id
        self.controller = response.controller_id
        if response.brokers:
            self.brokers = {
                row.node_id: Broker(row.node_id, row.host, row.port, row.rack)
                for row in response.brokers
            }
        news = known != (self.controller, self.brokers)
        for topic in response.topics:
            news |= self._take(topic)
        self.updates += 1
        if not partial:
            self.stale = False
            self._updated_at = now
        return news

    def forget(self, topics: Iterable[str]) -> None:
        """Drop topics that are no longer used."""
        for name in topics:
            gone = self.topics.pop(name, None)
            if gone is not None:
                self._names.pop(gone.topic_id, None)

    def is_due(self, now: float) -> bool:
        """Whether metadata should be requested."""
        return self.stale or now - self._updated_at >= self.max_age_s

    def partition(self, topic: str, partition: int) -> PartitionView | None:
        """The view of a partition, if known."""
        view = self.topics.get(topic)
        return None if view is None else view.numbered(partition)

    def leader(self, where: TopicPartition) -> Broker | None:
        """The broker that leads a partition, if known."""
        view = self.partition(*where)
        return None if view is None else self.brokers.get(view.leader)

    def topic_named(self, topic_id: bytes) -> str | None:
        """The name of the topic with this id."""
        return self._names.get(topic_id)

    def adopt_leader(self, where: TopicPartition, leader: int, leader_epoch: int) -> bool:
        """Adopt a leader that a broker named in an error; False if it is not new.

        Source: KIP-951.
        """
        view = self.partition(*where)
        if view is None or leader < 0 or leader_epoch <= view.leader_epoch:
            return False
        topic = self.topics[where.topic]
        changed = PartitionView(
            where.topic, where.partition, leader, leader_epoch, view.replicas, view.in_sync
        )
        partitions = tuple(changed if each is view else each for each in topic.partitions)
        self._put(TopicView(topic.name, topic.topic_id, topic.internal, topic.error, partitions))
        return leader in self.brokers

    def adopt_broker(self, broker: Broker) -> None:
        """Adopt an address that a broker returned beside a leader (KIP-951)."""
        self.brokers[broker.node_id] = broker

    def _take(self, row: MetadataResponseTopic) -> bool:
        name = row.name if row.name is not None else self._names.get(row.topic_id)
        if name is None:
            return False
        known = self.topics.get(name)
        error = ErrorCode.of(row.error_code)
        if error is not ErrorCode.NONE and not row.partitions:
            # The known leaders may still be right; only the error is new.
            kept = known.partitions if known is not None and error.retriable else ()
            return self._put(TopicView(name, row.topic_id, is_internal(row), error, kept))
        same = known is not None and known.topic_id == row.topic_id
        before = {view.partition: view for view in known.partitions} if known and same else {}
        rows = sorted(row.partitions, key=lambda each: each.partition_index)
        partitions = []
        for each in rows:
            fresh = PartitionView(
                name,
                each.partition_index,
                each.leader_id,
                each.leader_epoch,
                tuple(each.replica_nodes),
                tuple(each.isr_nodes),
                tuple(each.offline_replicas),
                ErrorCode.of(each.error_code),
            )
            old = before.get(each.partition_index)
            newer = old is None or fresh.leader_epoch >= old.leader_epoch or fresh.leader_epoch < 0
            partitions.append(fresh if newer or old is None else old)
        return self._put(TopicView(name, row.topic_id, is_internal(row), error, tuple(partitions)))

    def _put(self, view: TopicView) -> bool:
        """Keep the view of a topic; return whether it differs from the one before."""
        before = self.topics.get(view.name)
        if before is not None and before.topic_id != view.topic_id:
            self._names.pop(before.topic_id, None)
        self.topics[view.name] = view
        if view.topic_id != NO_UUID:
            self._names[view.topic_id] = view.name
        return view != before
