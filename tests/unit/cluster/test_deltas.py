"""Deltas: what requests of a controller change, in every version."""

from dataclasses import replace
from typing import TypeVar

import pytest

from barnabas.cluster.deltas import (
    FULL,
    StopOutcome,
    gone,
    leader_and_isr,
    stop_replica,
    update_metadata,
)
from barnabas.cluster.image import (
    Broker,
    BrokerEndpoint,
    ClusterImage,
    ImageDelta,
    PartitionState,
    TopicDelta,
)
from barnabas.errors import ErrorCode
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
from barnabas.wire.compiler import Codec
from barnabas.wire.schema import NO_UUID

ONE, TWO, THREE = NodeId(1), NodeId(2), NodeId(3)
ME, LIFE = TWO, 50
ID, OTHER = b"a" * 16, b"b" * 16
DOGS = TopicPartition("dogs", 0)
STATE = PartitionState(ONE, 3, (ONE, TWO), (ONE, TWO), 7, 4)
STALE_CONTROLLER, STALE_BROKER = ErrorCode.STALE_CONTROLLER_EPOCH, ErrorCode.STALE_BROKER_EPOCH

Message = TypeVar("Message", LeaderAndIsrRequest, StopReplicaRequest, UpdateMetadataRequest)


def through(message: Message, version: int) -> Message:
    """As it comes out of the bytes of this version."""
    codec = Codec.of(type(message), version)
    return codec.decode(codec.encode(message))[0]


def image(state: PartitionState = STATE, topic_id: bytes = ID) -> ClusterImage:
    topics = {"dogs": TopicDelta(topic_id, {0: state})}
    return ClusterImage().apply(ImageDelta(topics=topics, controller=ONE, controller_epoch=4))


def led(
    leader_epoch: int = 3,
    partition_epoch: int = 7,
    replicas: tuple[int, ...] = (1, 2),
    topic_id: bytes = ID,
    controller_epoch: int = 4,
    broker_epoch: int = LIFE,
) -> LeaderAndIsrRequest:
    row = LeaderAndIsrPartitionState(
        topic_name="dogs",
        partition_index=0,
        controller_epoch=4,
        leader=1,
        leader_epoch=leader_epoch,
        isr=[1, 2],
        partition_epoch=partition_epoch,
        replicas=list(replicas),
    )
    topic = LeaderAndIsrTopicState(topic_name="dogs", topic_id=topic_id, partition_states=[row])
    return LeaderAndIsrRequest(
        controller_id=9,
        controller_epoch=controller_epoch,
        broker_epoch=broker_epoch,
        ungrouped_partition_states=[row],
        topic_states=[topic],
        live_leaders=[LeaderAndIsrLiveLeader(broker_id=1, host_name="h", port=1)],
    )


def shown(
    leader: int = 1,
    leader_epoch: int = 3,
    partition_epoch: int = 7,
    offline: tuple[int, ...] = (),
    topic_id: bytes = ID,
    kind: int = 0,
) -> UpdateMetadataRequest:
    row = UpdateMetadataPartitionState(
        topic_name="dogs",
        partition_index=0,
        controller_epoch=4,
        leader=leader,
        leader_epoch=leader_epoch,
        isr=[1, 2],
        zk_version=partition_epoch,
        replicas=[1, 2],
        offline_replicas=list(offline),
    )
    broker = UpdateMetadataBroker(
        id=1,
        v0_host="h",
        v0_port=9092,
        endpoints=[
            UpdateMetadataEndpoint(port=9092, host="h", listener="PLAINTEXT", security_protocol=0)
        ],
        rack="a",
    )
    return UpdateMetadataRequest(
        controller_id=9,
        type=kind,
        controller_epoch=4,
        broker_epoch=LIFE,
        ungrouped_partition_states=[row],
        topic_states=[
            UpdateMetadataTopicState(topic_name="dogs", topic_id=topic_id, partition_states=[row])
        ],
        live_brokers=[broker],
    )


@pytest.mark.parametrize("version", range(8))
def test_leader_and_isr_of_every_version(version: int) -> None:
    found = leader_and_isr(ClusterImage(), through(led(), version), ME, LIFE)
    after = ClusterImage().apply(found.delta)
    assert after.partition(DOGS) == STATE
    assert after.topics["dogs"].topic_id == (ID if version >= 5 else NO_UUID)
    assert (after.controller, after.controller_epoch) == (9, 4)
    assert not found.error
    assert not found.errors


@pytest.mark.parametrize("version", range(9))
def test_update_metadata_of_every_version(version: int) -> None:
    found = update_metadata(ClusterImage(), through(shown(), version), LIFE)
    after = ClusterImage().apply(found.delta)
    assert after.partition(DOGS) == STATE
    assert after.topics["dogs"].topic_id == (ID if version >= 7 else NO_UUID)
    listener = "PLAINTEXT" if version >= 3 or version == 0 else ""
    rack = "a" if version >= 2 else None
    assert after.brokers == {ONE: Broker(ONE, (BrokerEndpoint(listener, "h", 9092),), rack)}


@pytest.mark.parametrize("version", range(5))
def test_stop_replica_of_every_version(version: int) -> None:
    states = [StopReplicaPartitionState(partition_index=0, leader_epoch=3, delete_partition=True)]
    request = StopReplicaRequest(
        controller_id=9,
        controller_epoch=4,
        broker_epoch=LIFE,
        delete_partitions=True,
        ungrouped_partitions=[StopReplicaPartitionV0(topic_name="dogs", partition_index=0)],
        topics=[StopReplicaTopicV1(name="dogs", partition_indexes=[0])],
        topic_states=[StopReplicaTopicState(topic_name="dogs", partition_states=states)],
    )
    found = stop_replica(image(), through(request, version), ME, LIFE)
    assert found.stopped == {DOGS: True}
    after = image().apply(found.outcome.delta)
    assert after.partition(DOGS) == replace(STATE, isr=(ONE,), replicas=(ONE,))


def test_requests_of_old_controllers_and_for_old_lives_change_nothing() -> None:
    assert leader_and_isr(image(), led(controller_epoch=3), ME, LIFE).error is STALE_CONTROLLER
    assert leader_and_isr(image(), led(broker_epoch=49), ME, LIFE).error is STALE_BROKER
    newer = ClusterImage().apply(ImageDelta(controller_epoch=5))
    assert update_metadata(newer, shown(), LIFE).error is STALE_CONTROLLER
    assert update_metadata(image(), shown(), LIFE + 1).error is STALE_BROKER
    assert stop(newer, 3, deletes=True).outcome.error is STALE_CONTROLLER


def test_only_newer_states_count() -> None:
    for epoch, partition_epoch in ((2, 9), (3, 6)):
        found = leader_and_isr(image(), led(epoch, partition_epoch), ME, LIFE)
        assert found.errors == {DOGS: STALE_CONTROLLER}
        assert not found.delta.topics
        assert not update_metadata(image(), shown(1, epoch, partition_epoch), LIFE).delta.topics
    for epoch, partition_epoch in ((4, 8), (3, 8)):
        after = image().apply(leader_and_isr(image(), led(epoch, partition_epoch), ME, LIFE).delta)
        state = after.partition(DOGS)
        assert state is not None
        assert state.age == (epoch, partition_epoch)


def test_what_is_known_already_is_no_error_and_no_change() -> None:
    found = leader_and_isr(image(), led(), ME, LIFE)
    assert not found.errors
    assert not found.delta.topics
    assert not update_metadata(image(), shown(), LIFE).delta.topics


def test_both_requests_add_what_the_other_does_not_say() -> None:
    """UpdateMetadata knows what is offline, LeaderAndIsr what is moving."""
    moving = replace(STATE, adding=(TWO,), recovering=True)
    after = image(moving).apply(update_metadata(image(moving), shown(offline=(2,)), LIFE).delta)
    assert after.partition(DOGS) == replace(moving, offline=(TWO,))
    after = after.apply(leader_and_isr(after, led(), ME, LIFE).delta)
    assert after.partition(DOGS) == replace(STATE, offline=(TWO,))


def test_a_broker_that_is_no_replica_refuses_to_be_one() -> None:
    found = leader_and_isr(image(), led(4, 8, replicas=(1, 3)), ME, LIFE)
    assert found.errors == {DOGS: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
    assert not found.delta.topics


def test_a_topic_made_again_begins_anew() -> None:
    for found in (
        leader_and_isr(image(), led(0, 0, topic_id=OTHER), ME, LIFE),
        update_metadata(image(), shown(1, 0, 0, topic_id=OTHER), LIFE),
    ):
        after = image().apply(found.delta)
        state = after.partition(DOGS)
        assert state is not None
        assert state.age == (0, 0)
        assert after.topics["dogs"].topic_id == OTHER


def test_a_topic_without_an_id_gets_one() -> None:
    before = image(topic_id=NO_UUID)
    for found in (leader_and_isr(before, led(), ME, LIFE), update_metadata(before, shown(), LIFE)):
        assert before.apply(found.delta).topics["dogs"].topic_id == ID


def test_a_topic_that_is_being_deleted_goes() -> None:
    found = update_metadata(image(), shown(leader=-2), LIFE)
    assert not image().apply(found.delta).topics


def test_a_full_request_names_all_there_is() -> None:
    more = image().apply(
        ImageDelta(
            topics={
                "dogs": TopicDelta(partitions={1: STATE}),
                "cats": TopicDelta(partitions={0: STATE}),
            }
        )
    )
    assert more.apply(update_metadata(more, shown(), LIFE).delta).topics.keys() == {"dogs", "cats"}
    assert not gone(more, shown()).topics
    after = more.apply(gone(more, shown(kind=FULL)))
    assert [one for one, _ in after.partitions()] == [DOGS]


def test_brokers_that_are_not_named_are_gone() -> None:
    before = image().apply(ImageDelta({ONE: Broker(ONE), TWO: Broker(TWO)}))
    delta = update_metadata(before, shown(), LIFE).delta
    assert list(before.apply(delta).brokers) == [ONE]
    again = before.apply(delta)
    assert not update_metadata(again, shown(), LIFE).delta.brokers


def stop(before: ClusterImage, epoch: int, *, deletes: bool) -> StopOutcome:
    states = [
        StopReplicaPartitionState(partition_index=0, leader_epoch=epoch, delete_partition=deletes)
    ]
    topics = [StopReplicaTopicState(topic_name="dogs", partition_states=states)]
    request = StopReplicaRequest(
        controller_id=9, controller_epoch=4, broker_epoch=LIFE, topic_states=topics
    )
    return stop_replica(before, request, ME, LIFE)


def test_who_only_stops_stays_a_replica() -> None:
    found = stop(image(), 3, deletes=False)
    assert found.stopped == {DOGS: False}
    assert not found.outcome.delta.topics


def test_old_requests_to_stop_are_fenced() -> None:
    found = stop(image(), 2, deletes=True)
    assert not found.stopped
    assert found.outcome.errors == {DOGS: ErrorCode.FENCED_LEADER_EPOCH}


def test_with_its_topic_the_partition_goes() -> None:
    found = stop(image(), -2, deletes=True)
    assert not image().apply(found.outcome.delta).topics


def test_a_replica_that_nobody_knows_is_deleted_too() -> None:
    found = stop(ClusterImage(controller_epoch=4), 3, deletes=True)
    assert found.stopped == {DOGS: True}
    assert not found.outcome.delta.topics
