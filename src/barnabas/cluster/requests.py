"""Requests: the messages that carry out a controller's decisions at brokers.

A message has its partitions for all versions, grouped by topic and not: the codec writes those that its
version has.

Source: Kafka's ControllerBrokerRequestBatch.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from barnabas.cluster.deltas import EPOCH_DURING_DELETE
from barnabas.cluster.image import LEADER_DURING_DELETE, Broker, ClusterImage, PartitionState
from barnabas.protocol.leader_and_isr import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from barnabas.protocol.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaPartitionV0,
    StopReplicaRequest,
    StopReplicaTopicState,
    StopReplicaTopicV1,
)
from barnabas.protocol.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from barnabas.types import NodeId, TopicPartition

_TOPIC_OF = attrgetter("topic_name")
"""Partitions of a request are sorted, so those of a topic are next to each other."""

ControllerMessage = LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest


@dataclass(frozen=True, slots=True)
class BrokerRequest:
    """A message to one broker."""

    node_id: NodeId
    message: ControllerMessage


@dataclass(frozen=True, slots=True)
class ReplicaStop:
    """A replica that stops. Its log is deleted with `deletes`, and its topic with `with_topic`."""

    partition: TopicPartition
    deletes: bool
    with_topic: bool = False


@dataclass(slots=True)
class Batch:
    """The brokers that get each partition, collected while a decision is made. True: its replica is new."""

    introduced: dict[NodeId, None] = field(default_factory=dict)
    states: dict[NodeId, dict[TopicPartition, bool]] = field(default_factory=dict)
    shown: dict[NodeId, set[TopicPartition]] = field(default_factory=dict)
    stops: dict[NodeId, list[ReplicaStop]] = field(default_factory=dict)

    def introduce(self, to: Iterable[NodeId]) -> None:
        """UpdateMetadata with the brokers, first of all: nobody follows a leader it does not know."""
        self.introduced.update(dict.fromkeys(to))

    def lead(
        self, to: Iterable[NodeId], partition: TopicPartition, *, is_new: bool = False
    ) -> None:
        """LeaderAndIsr."""
        for node_id in to:
            self.states.setdefault(node_id, {}).setdefault(partition, is_new)

    def show(self, to: Iterable[NodeId], partitions: Collection[TopicPartition] = ()) -> None:
        """UpdateMetadata: the list of brokers, and these partitions."""
        for node_id in to:
            self.shown.setdefault(node_id, set()).update(partitions)

    def stop(self, node_id: NodeId, stop: ReplicaStop) -> None:
        """StopReplica."""
        self.stops.setdefault(node_id, []).append(stop)


def requests(
    batch: Batch, image: ClusterImage, listener: str, deleted: Collection[str]
) -> tuple[BrokerRequest, ...]:
    """The messages of a batch, about the partitions as `image` has them.

    Introductions are first, then LeaderAndIsr, StopReplica is last. Brokers that are gone get nothing.
    """
    there = image.brokers
    return (
        *(
            BrokerRequest(node_id, _update_metadata(image, node_id, (), deleted))
            for node_id in sorted(batch.introduced)
            if node_id in there
        ),
        *(
            BrokerRequest(node_id, _leader_and_isr(image, node_id, states, listener))
            for node_id in sorted(batch.states)
            if node_id in there
            for states in [_states(batch, image, node_id)]
            if states
        ),
        *(
            BrokerRequest(node_id, _update_metadata(image, node_id, partitions, deleted))
            for node_id in sorted(batch.shown)
            if node_id in there
            for partitions in [sorted(batch.shown[node_id])]
        ),
        *(
            BrokerRequest(node_id, _stop_replica(image, node_id, stops, deletes=deletes))
            for node_id in sorted(batch.stops)
            if node_id in there
            # To version 2, a request deletes all its replicas or none.
            for deletes in (False, True)
            for stops in [[one for one in batch.stops[node_id] if one.deletes == deletes]]
            if stops
        ),
    )


def _states(
    batch: Batch, image: ClusterImage, node_id: NodeId
) -> dict[TopicPartition, tuple[PartitionState, bool]]:
    """The partitions for one broker. A move that ends at once may have taken its replica away again."""
    return {
        partition: (state, is_new)
        for partition, is_new in sorted(batch.states[node_id].items())
        for state in [image.partition(partition)]
        if state is not None and node_id in state.replicas
    }


def _leader_and_isr(
    image: ClusterImage,
    node_id: NodeId,
    states: Mapping[TopicPartition, tuple[PartitionState, bool]],
    listener: str,
) -> LeaderAndIsrRequest:
    rows = [_led(partition, state, is_new=is_new) for partition, (state, is_new) in states.items()]
    leaders = dict.fromkeys(state.leader for state, _ in states.values())
    return LeaderAndIsrRequest(
        controller_id=image.controller,
        controller_epoch=image.controller_epoch,
        ungrouped_partition_states=rows,
        broker_epoch=image.brokers[node_id].epoch,
        topic_states=[
            LeaderAndIsrTopicState(
                topic_name=name,
                topic_id=image.topics[name].topic_id,
                partition_states=list(of_topic),
            )
            for name, of_topic in groupby(rows, _TOPIC_OF)
        ],
        live_leaders=[
            _live_leader(image.brokers[one], listener) for one in leaders if one in image.brokers
        ],
    )


def _led(
    partition: TopicPartition, state: PartitionState, *, is_new: bool
) -> LeaderAndIsrPartitionState:
    return LeaderAndIsrPartitionState(
        topic_name=partition.topic,
        partition_index=partition.partition,
        controller_epoch=state.controller_epoch,
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        isr=list(state.isr),
        partition_epoch=state.partition_epoch,
        replicas=list(state.replicas),
        adding_replicas=list(state.adding),
        removing_replicas=list(state.removing),
        is_new=is_new,
        leader_recovery_state=int(state.recovering),
    )


def _live_leader(broker: Broker, listener: str) -> LeaderAndIsrLiveLeader:
    endpoint = broker.endpoint(listener)
    host, port = (endpoint.host, endpoint.port) if endpoint else ("", -1)
    return LeaderAndIsrLiveLeader(broker_id=broker.node_id, host_name=host, port=port)


def _update_metadata(
    image: ClusterImage,
    node_id: NodeId,
    partitions: Iterable[TopicPartition],
    deleted: Collection[str],
) -> UpdateMetadataRequest:
    rows = [
        _shown(image, partition, state, is_deleted=partition.topic in deleted)
        for partition in partitions
        for state in [image.partition(partition)]
        if state is not None
    ]
    return UpdateMetadataRequest(
        controller_id=image.controller,
        controller_epoch=image.controller_epoch,
        ungrouped_partition_states=rows,
        broker_epoch=image.brokers[node_id].epoch,
        topic_states=[
            UpdateMetadataTopicState(
                topic_name=name,
                topic_id=image.topics[name].topic_id,
                partition_states=list(of_topic),
            )
            for name, of_topic in groupby(rows, _TOPIC_OF)
        ],
        live_brokers=[_live_broker(image.brokers[one]) for one in sorted(image.brokers)],
    )


def _shown(
    image: ClusterImage, partition: TopicPartition, state: PartitionState, *, is_deleted: bool
) -> UpdateMetadataPartitionState:
    live = image.live_replicas(state)
    return UpdateMetadataPartitionState(
        topic_name=partition.topic,
        partition_index=partition.partition,
        controller_epoch=state.controller_epoch,
        leader=LEADER_DURING_DELETE if is_deleted else state.leader,
        leader_epoch=EPOCH_DURING_DELETE if is_deleted else state.leader_epoch,
        isr=list(state.isr),
        zk_version=state.partition_epoch,
        replicas=list(state.replicas),
        offline_replicas=[one for one in state.replicas if one not in live],
    )


def _live_broker(broker: Broker) -> UpdateMetadataBroker:
    plain = next((one for one in broker.endpoints if one.security_protocol == 0), None)
    return UpdateMetadataBroker(
        id=broker.node_id,
        v0_host=plain.host if plain else "",
        v0_port=plain.port if plain else -1,
        endpoints=[
            UpdateMetadataEndpoint(
                port=one.port,
                host=one.host,
                listener=one.listener,
                security_protocol=one.security_protocol,
            )
            for one in broker.endpoints
        ],
        rack=broker.rack,
    )


def _stop_replica(
    image: ClusterImage, node_id: NodeId, stops: Iterable[ReplicaStop], *, deletes: bool
) -> StopReplicaRequest:
    ungrouped: list[StopReplicaPartitionV0] = []
    topics: dict[str, StopReplicaTopicV1] = {}
    states: dict[str, StopReplicaTopicState] = {}
    for one in stops:
        name, number = one.partition
        ungrouped.append(StopReplicaPartitionV0(topic_name=name, partition_index=number))
        if name not in topics:
            topics[name] = StopReplicaTopicV1(name=name, partition_indexes=[])
            states[name] = StopReplicaTopicState(topic_name=name, partition_states=[])
        topics[name].partition_indexes.append(number)
        known = image.partition(one.partition)
        epoch = EPOCH_DURING_DELETE if one.with_topic else known.leader_epoch if known else -1
        states[name].partition_states.append(
            StopReplicaPartitionState(
                partition_index=number, leader_epoch=epoch, delete_partition=deletes
            )
        )
    return StopReplicaRequest(
        controller_id=image.controller,
        controller_epoch=image.controller_epoch,
        broker_epoch=image.brokers[node_id].epoch,
        delete_partitions=deletes,
        ungrouped_partitions=ungrouped,
        topics=list(topics.values()),
        topic_states=list(states.values()),
    )
