"""Deltas: the changes to an image by LeaderAndIsr, StopReplica and UpdateMetadata.

A state is taken only if it is newer than the one that is known, by leader epoch and partition epoch.

Source: KIP-380, KIP-516, KIP-570; Kafka's ReplicaManager and ZkMetadataCache.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from barnabas.cluster.fencing import check_controller
from barnabas.cluster.image import (
    LEADER_DURING_DELETE,
    Broker,
    BrokerEndpoint,
    ClusterImage,
    ImageDelta,
    PartitionState,
    Topic,
    TopicDelta,
)
from barnabas.errors import ErrorCode
from barnabas.protocol.leader_and_isr import LeaderAndIsrPartitionState, LeaderAndIsrRequest
from barnabas.protocol.stop_replica import StopReplicaRequest
from barnabas.protocol.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
)
from barnabas.types import NodeId, TopicPartition
from barnabas.wire.schema import NO_UUID

Row = TypeVar("Row", LeaderAndIsrPartitionState, UpdateMetadataPartitionState)

FULL = 2
"""The type of a request that names all there is."""

EPOCH_DURING_DELETE = -2
NO_EPOCH = -1
"""Leader epochs of StopReplica that are not compared."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a request changes, and the error of each partition that it does not change.

    `error` is that of the whole request: then nothing changes.
    """

    delta: ImageDelta = field(default_factory=ImageDelta)
    error: ErrorCode = ErrorCode.NONE
    errors: Mapping[TopicPartition, ErrorCode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StopOutcome:
    """What a StopReplica changes. Replicas to stop come with whether their logs are to be deleted."""

    stopped: Mapping[TopicPartition, bool] = field(default_factory=dict)
    outcome: Outcome = field(default_factory=Outcome)


def leader_and_isr(
    image: ClusterImage, request: LeaderAndIsrRequest, node_id: NodeId, broker_epoch: int
) -> Outcome:
    """The delta of a LeaderAndIsr that reaches broker `node_id`."""
    error = check_controller(
        request.controller_epoch, image.controller_epoch, request.broker_epoch, broker_epoch
    )
    if error:
        return Outcome(error=error)
    topics: dict[str, TopicDelta | None] = {}
    errors: dict[TopicPartition, ErrorCode] = {}
    for name, topic_id, rows in _by_topic(request.ungrouped_partition_states, request.topic_states):
        topic, partitions = _known(image, name, topic_id)
        changes: dict[int, PartitionState | None] = {}
        for row in rows:
            number = row.partition_index
            known = partitions.get(number)
            state = _led(row, known)
            if node_id not in state.replicas:
                errors[TopicPartition(name, number)] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif known and state.age < known.age:
                errors[TopicPartition(name, number)] = ErrorCode.STALE_CONTROLLER_EPOCH
            elif state != known:
                changes[number] = state
        if changes or _gets_id(topic, topic_id):
            topics[name] = TopicDelta(topic_id, changes, is_new=_is_new(topic, topic_id))
    return Outcome(_by(request, topics), errors=errors)


def update_metadata(
    image: ClusterImage, request: UpdateMetadataRequest, broker_epoch: int
) -> Outcome:
    """The delta of an UpdateMetadata. Its list of brokers is complete; of topics see `gone`."""
    error = check_controller(
        request.controller_epoch, image.controller_epoch, request.broker_epoch, broker_epoch
    )
    if error:
        return Outcome(error=error)
    topics: dict[str, TopicDelta | None] = {}
    for name, topic_id, rows in _by_topic(request.ungrouped_partition_states, request.topic_states):
        topic, partitions = _known(image, name, topic_id)
        changes = {
            row.partition_index: state
            for row in rows
            for state in [_shown(row, partitions.get(row.partition_index))]
            if state != partitions.get(row.partition_index)
        }
        if changes or _gets_id(topic, topic_id):
            topics[name] = TopicDelta(topic_id, changes, is_new=_is_new(topic, topic_id))
    delta = _by(request, topics)
    return Outcome(replace(delta, brokers=_brokers(image, request.live_brokers)))


def gone(image: ClusterImage, request: UpdateMetadataRequest) -> ImageDelta:
    """What an UpdateMetadata that names all there is takes away: what it does not name."""
    return ImageDelta(topics=_gone(image, named(request))) if request.type == FULL else ImageDelta()


def named(request: UpdateMetadataRequest) -> dict[str, set[int]]:
    """The partitions of which an UpdateMetadata says something, by topic."""
    found: dict[str, set[int]] = {}
    for name, _, rows in _by_topic(request.ungrouped_partition_states, request.topic_states):
        found.setdefault(name, set()).update(row.partition_index for row in rows)
    return found


def stop_replica(
    image: ClusterImage, request: StopReplicaRequest, node_id: NodeId, broker_epoch: int
) -> StopOutcome:
    """The delta of a StopReplica that reaches broker `node_id`.

    A replica that is deleted leaves the replicas of its partition; the partition goes with its topic.
    """
    error = check_controller(
        request.controller_epoch, image.controller_epoch, request.broker_epoch, broker_epoch
    )
    if error:
        return StopOutcome(outcome=Outcome(error=error))
    topics: dict[str, dict[int, PartitionState | None]] = {}
    errors: dict[TopicPartition, ErrorCode] = {}
    stopped: dict[TopicPartition, bool] = {}
    for partition, epoch, deletes in _stopped(request):
        known = image.partition(partition)
        if known and 0 <= epoch < known.leader_epoch:
            errors[partition] = ErrorCode.FENCED_LEADER_EPOCH
            continue
        stopped[partition] = deletes
        if known and deletes:
            topics.setdefault(partition.topic, {})[partition.partition] = (
                None if epoch == EPOCH_DURING_DELETE else _without(known, node_id)
            )
    delta = _by(request, {name: TopicDelta(partitions=rows) for name, rows in topics.items()})
    return StopOutcome(stopped, Outcome(delta, errors=errors))


class TopicRows(Protocol[Row]):
    """The partitions of one topic in a request."""

    topic_name: str
    topic_id: bytes
    partition_states: list[Row]


def _by(
    request: LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest,
    topics: Mapping[str, TopicDelta | None],
) -> ImageDelta:
    """A change of topics, by the controller that sent the request."""
    return ImageDelta(
        topics=topics,
        controller=NodeId(request.controller_id),
        controller_epoch=request.controller_epoch,
    )


def _known(
    image: ClusterImage, name: str, topic_id: bytes
) -> tuple[Topic | None, Mapping[int, PartitionState]]:
    """What the image has under a name, and its partitions: none, if the topic was made again."""
    topic = image.topics.get(name)
    return topic, topic.partitions if topic and not topic.is_other(topic_id) else {}


def _is_new(topic: Topic | None, topic_id: bytes) -> bool:
    return topic is not None and topic.is_other(topic_id)


def _gets_id(topic: Topic | None, topic_id: bytes) -> bool:
    """Whether a topic from before there were ids has one now."""
    return topic is not None and topic.topic_id == NO_UUID != topic_id


def _by_topic(
    ungrouped: Iterable[Row], grouped: Iterable[TopicRows[Row]]
) -> Iterator[tuple[str, bytes, Iterable[Row]]]:
    """The rows of a request of any version, by topic, with its id."""
    found: dict[str, list[Row]] = {}
    for row in ungrouped:
        found.setdefault(row.topic_name, []).append(row)
    for name, rows in found.items():
        yield name, NO_UUID, rows
    for topic in grouped:
        yield topic.topic_name, topic.topic_id, topic.partition_states


def _led(row: LeaderAndIsrPartitionState, known: PartitionState | None) -> PartitionState:
    """A partition as its replicas get it; of offline replicas it says nothing."""
    return PartitionState(
        NodeId(row.leader),
        row.leader_epoch,
        _nodes(row.isr),
        _nodes(row.replicas),
        row.partition_epoch,
        row.controller_epoch,
        _nodes(row.adding_replicas),
        _nodes(row.removing_replicas),
        offline=known.offline if known else (),
        recovering=row.leader_recovery_state != 0,
    )


def _shown(
    row: UpdateMetadataPartitionState, known: PartitionState | None
) -> PartitionState | None:
    """A partition as all brokers get it; of one as old as the known one, offline replicas count."""
    if row.leader == LEADER_DURING_DELETE:
        return None
    state = PartitionState(
        NodeId(row.leader),
        row.leader_epoch,
        _nodes(row.isr),
        _nodes(row.replicas),
        row.zk_version,
        row.controller_epoch,
        offline=_nodes(row.offline_replicas),
    )
    if known is None or state.leader_epoch > known.leader_epoch:
        return state
    if state.age < known.age:
        return known
    if state.age == known.age:
        return replace(known, offline=state.offline)
    # A reassignment begins and ends with a leader epoch: in this one the replicas stay.
    return replace(state, adding=known.adding, removing=known.removing)


def _gone(image: ClusterImage, there: Mapping[str, set[int]]) -> dict[str, TopicDelta | None]:
    """The topics and partitions that a full request does not name."""
    gone: dict[str, TopicDelta | None] = {}
    for name, topic in image.topics.items():
        if name not in there:
            gone[name] = None
        elif missing := topic.partitions.keys() - there[name]:
            gone[name] = TopicDelta(partitions=dict.fromkeys(missing))
    return gone


def _brokers(
    image: ClusterImage, live: list[UpdateMetadataBroker]
) -> Mapping[NodeId, Broker | None]:
    """The brokers that came, changed or went."""
    found = {NodeId(row.id): _broker(row) for row in live}
    gone: dict[NodeId, Broker | None] = dict.fromkeys(image.brokers.keys() - found.keys())
    came = {one: known for one, known in found.items() if image.brokers.get(one) != known}
    return {**gone, **came}


def _broker(row: UpdateMetadataBroker) -> Broker:
    endpoints = [
        BrokerEndpoint(one.listener, one.host, one.port, one.security_protocol)
        for one in row.endpoints
    ]
    if not endpoints:
        endpoints = [BrokerEndpoint("PLAINTEXT", row.v0_host, row.v0_port)]
    return Broker(NodeId(row.id), tuple(endpoints), row.rack)


def _stopped(request: StopReplicaRequest) -> Iterator[tuple[TopicPartition, int, bool]]:
    """The partitions of any version, with their leader epoch, and whether each is deleted."""
    deletes = request.delete_partitions
    for row in request.ungrouped_partitions:
        yield TopicPartition(row.topic_name, row.partition_index), NO_EPOCH, deletes
    for topic in request.topics:
        for number in topic.partition_indexes:
            yield TopicPartition(topic.name, number), NO_EPOCH, deletes
    for states in request.topic_states:
        for one in states.partition_states:
            partition = TopicPartition(states.topic_name, one.partition_index)
            yield partition, one.leader_epoch, one.delete_partition


def _without(state: PartitionState, node_id: NodeId) -> PartitionState:
    return replace(
        state,
        isr=tuple(one for one in state.isr if one != node_id),
        replicas=tuple(one for one in state.replicas if one != node_id),
    )


def _nodes(numbers: list[int]) -> tuple[NodeId, ...]:
    return tuple(map(NodeId, numbers))
