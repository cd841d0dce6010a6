"""Parts of requests name what the whole names, once each and in its order."""

import pytest

from barnabas.cluster.request_parts import new_replicas, split_request, stop_parts
from barnabas.protocol.leader_and_isr import (
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
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)

MOST = 3


def state(number: int, topic: str = "") -> UpdateMetadataPartitionState:
    return UpdateMetadataPartitionState(
        topic_name=topic,
        partition_index=number,
        controller_epoch=1,
        leader=1,
        leader_epoch=0,
        isr=[1],
        zk_version=0,
        replicas=[1],
    )


def shown(*sizes: int, ungrouped: int = 0) -> UpdateMetadataRequest:
    return UpdateMetadataRequest(
        controller_id=1,
        controller_epoch=2,
        ungrouped_partition_states=[state(number, "old") for number in range(ungrouped)],
        topic_states=[
            UpdateMetadataTopicState(
                topic_name=f"t{number}", partition_states=[state(one) for one in range(size)]
            )
            for number, size in enumerate(sizes)
        ],
        live_brokers=[UpdateMetadataBroker(id=1)],
    )


def rows(request: UpdateMetadataRequest) -> list[tuple[str, int]]:
    grouped = [
        (topic.topic_name, one.partition_index)
        for topic in request.topic_states
        for one in topic.partition_states
    ]
    old = [(one.topic_name, one.partition_index) for one in request.ungrouped_partition_states]
    return [*old, *grouped]


@pytest.mark.parametrize(
    "whole",
    [shown(), shown(2, 1), shown(1, 8, 0, 0, 3, 1), shown(2, ungrouped=7), shown(0, 0, 0, 0)],
)
def test_parts_of_what_is_shown(whole: UpdateMetadataRequest) -> None:
    found = [*split_request(whole, MOST)]
    assert [row for one in found for row in rows(one)] == rows(whole)
    named = [topic.topic_name for one in found for topic in one.topic_states]
    assert {*named} == {topic.topic_name for topic in whole.topic_states}
    for one in found:
        assert len(rows(one)) <= MOST
        assert len(one.topic_states) <= MOST
        assert one.live_brokers == whole.live_brokers
        assert one.controller_epoch == whole.controller_epoch


@pytest.mark.parametrize(
    "whole",
    [
        StopReplicaRequest(controller_id=1, controller_epoch=2),
        StopReplicaRequest(
            controller_id=1,
            controller_epoch=2,
            delete_partitions=True,
            ungrouped_partitions=[
                StopReplicaPartitionV0(topic_name="t", partition_index=one) for one in range(7)
            ],
        ),
        StopReplicaRequest(
            controller_id=1,
            controller_epoch=2,
            delete_partitions=True,
            topics=[StopReplicaTopicV1(name=name, partition_indexes=[*range(4)]) for name in "ab"],
        ),
        StopReplicaRequest(
            controller_id=1,
            controller_epoch=2,
            topic_states=[
                StopReplicaTopicState(
                    topic_name="t",
                    partition_states=[
                        StopReplicaPartitionState(partition_index=one, delete_partition=True)
                        for one in range(8)
                    ],
                )
            ],
        ),
    ],
)
def test_parts_of_what_is_stopped(whole: StopReplicaRequest) -> None:
    found = [*stop_parts(whole, MOST)]
    assert found
    assert [row for one in found for row in stopped(one)] == stopped(whole)
    for one in found:
        assert len(stopped(one)) <= MOST
        assert one.delete_partitions == whole.delete_partitions


def stopped(request: StopReplicaRequest) -> list[tuple[str, int]]:
    return [
        *((one.topic_name, one.partition_index) for one in request.ungrouped_partitions),
        *((topic.name, one) for topic in request.topics for one in topic.partition_indexes),
        *(
            (topic.topic_name, one.partition_index)
            for topic in request.topic_states
            for one in topic.partition_states
        ),
    ]


@pytest.mark.parametrize("grouped", [False, True])
def test_new_replicas_are_those_that_a_controller_calls_so(*, grouped: bool) -> None:
    led = [
        LeaderAndIsrPartitionState(
            topic_name="" if grouped else "t",
            partition_index=number,
            controller_epoch=1,
            leader=1,
            leader_epoch=0,
            isr=[1],
            partition_epoch=0,
            replicas=[1],
            is_new=number % 2 == 0,
        )
        for number in range(4)
    ]
    topics = [LeaderAndIsrTopicState(topic_name="t", topic_id=bytes(16), partition_states=led)]
    request = LeaderAndIsrRequest(
        controller_id=1,
        controller_epoch=2,
        live_leaders=[],
        ungrouped_partition_states=[] if grouped else led,
        topic_states=topics if grouped else [],
    )
    assert new_replicas(request) == {("t", 0), ("t", 2)}
