"""A broker of an EmbeddedCluster that is cut off from the others, and not from its clients."""

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas.errors import ErrorCode, LocalProtocolError
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.testing import EmbeddedCluster
from tests.record_batches import make_batch
from tests.unit.broker.raw_client import RawClient
from tests.waiting import wait

SECONDS = 30.0
ALL = [1, 2, 3]


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(3) as made:
        create(made, "dogs")
        yield made


def reachable(cluster: EmbeddedCluster, without: int = 0) -> str:
    """The addresses of all, but for a broker whose metadata are those of before."""
    return ",".join(f"127.0.0.1:{cluster.port(one)}" for one in cluster.running if one != without)


def create(cluster: EmbeddedCluster, topic: str, replicas: int = 3, without: int = 0) -> None:
    admin = AdminClient({"bootstrap.servers": reachable(cluster, without)})
    admin.create_topics([NewTopic(topic, 1, replicas)])[topic].result(SECONDS)


def send(cluster: EmbeddedCluster, *values: str, without: int = 0) -> None:
    """With acks=all; all are acknowledged."""
    failed: list[object] = []
    producer = Producer({"bootstrap.servers": reachable(cluster, without), "acks": "all"})
    for value in values:
        producer.produce(
            "dogs", value, on_delivery=lambda error, _: failed.append(error) if error else None
        )
    assert producer.flush(SECONDS) == 0
    assert not failed


def read(cluster: EmbeddedCluster, count: int) -> list[str]:
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "none"})
    try:
        consumer.assign([Place("dogs", 0, 0)])
        messages = [consumer.poll(SECONDS) for _ in range(count)]
        assert None not in messages
        return [one.value().decode() for one in messages if one is not None]
    finally:
        consumer.close()


def answer_of(port: int, *, acks: int) -> ErrorCode:
    """What this very broker answers to who writes a record there."""
    data = PartitionProduceData(index=0, records=make_batch())
    topic = TopicProduceData(name="dogs", partition_data=[data])
    request = ProduceRequest(acks=acks, timeout_ms=300, topic_data=[topic])
    with RawClient(port) as client:
        answer = client.ask(request, 7, ProduceResponse)
    return ErrorCode.of(answer.responses[0].partition_responses[0].error_code)


def wait_for_all_in_sync(cluster: EmbeddedCluster) -> None:
    wait(lambda: cluster.in_sync("dogs") == ALL, lambda: cluster.in_sync("dogs"))


def test_a_leader_that_is_cut_off_acknowledges_nothing_that_is_lost(
    cluster: EmbeddedCluster,
) -> None:
    send(cluster, "one", "two")
    old = cluster.leader("dogs")
    cluster.cut_off(old)
    assert cluster.leader("dogs") != old
    # It takes itself for the leader still, and nobody confirms what it is given.
    assert answer_of(cluster.port(old), acks=-1) is ErrorCode.REQUEST_TIMED_OUT
    assert answer_of(cluster.port(old), acks=1) is ErrorCode.NONE
    assert old not in cluster.in_sync("dogs")
    cluster.heal(old)
    wait_for_all_in_sync(cluster)
    assert answer_of(cluster.port(old), acks=1) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    send(cluster, "three")
    assert read(cluster, 3) == ["one", "two", "three"]
    # As a leader it has what the others have, and not what it was given meanwhile.
    for one in ALL:
        if one != old:
            cluster.kill(one)
    cluster.start(next(one for one in ALL if one != old))
    assert read(cluster, 3) == ["one", "two", "three"]


def test_records_are_acknowledged_while_a_follower_is_cut_off(cluster: EmbeddedCluster) -> None:
    leader = cluster.leader("dogs")
    follower = next(one for one in ALL if one != leader)
    cluster.cut_off(follower)
    send(cluster, "one", "two", without=follower)
    assert follower not in cluster.in_sync("dogs")
    cluster.heal(follower)
    wait_for_all_in_sync(cluster)


def test_a_controller_that_is_cut_off_is_one_no_more(cluster: EmbeddedCluster) -> None:
    old = cluster.controller()
    cluster.cut_off(old)
    wait(lambda: cluster.controller() not in {old, -1}, cluster.controller)
    create(cluster, "cats", replicas=2, without=old)
    assert cluster.in_sync("cats") == [one for one in ALL if one != old]
    new = cluster.controller()
    cluster.heal(old)
    wait_for_all_in_sync(cluster)
    assert cluster.controller() == new
    # Broker after broker is cut off and healed: each has been the controller, or not.
    for one in ALL:
        cluster.cut_off(one)
        cluster.leader("dogs")
        send(cluster, f"without {one}", without=one)
        cluster.heal(one)
        wait_for_all_in_sync(cluster)
    assert read(cluster, 3) == [f"without {one}" for one in ALL]


@pytest.mark.parametrize("leaves", ["kill", "stop"])
def test_a_broker_that_ended_while_it_was_cut_off_returns(
    cluster: EmbeddedCluster, leaves: str
) -> None:
    broker = cluster.leader("dogs")
    cluster.cut_off(broker)
    cluster.leader("dogs")
    getattr(cluster, leaves)(broker)
    cluster.start(broker)
    wait_for_all_in_sync(cluster)
    send(cluster, "one")


def test_who_does_not_run_cannot_be_cut_off(cluster: EmbeddedCluster) -> None:
    cluster.kill(2)
    with pytest.raises(LocalProtocolError, match="broker 2 does not run"):
        cluster.cut_off(2)
    cluster.start(2)
    cluster.heal(2)  # It was not cut off: nothing is done.
    wait_for_all_in_sync(cluster)
