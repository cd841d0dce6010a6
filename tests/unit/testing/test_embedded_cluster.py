"""Brokers in one process are a cluster: a controller, replicas, failover; clients are librdkafka."""

import gc
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_INVALID, Consumer, Producer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

from barnabas.broker.cluster.request_queues import _Queue
from barnabas.config.broker_replication import RACK_AWARE
from barnabas.errors import LocalProtocolError, LockHeld, RequestTimeout
from barnabas.protocol.metadata import MetadataRequest, MetadataResponse
from barnabas.testing import EmbeddedCluster
from tests.unit.broker.raw_client import RawClient
from tests.waiting import wait

SECONDS = 30.0


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(3) as made:
        yield made


@pytest.fixture(autouse=True)
def _clients_end() -> Iterator[None]:
    """Clients of librdkafka end when they are collected; some are in cycles, and would look for brokers."""
    yield
    gc.collect()


def admin(cluster: EmbeddedCluster) -> AdminClient:
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers})


def create(cluster: EmbeddedCluster, topic: str, partitions: int = 1, replicas: int = 3) -> None:
    wanted = NewTopic(topic, partitions, replicas)
    client = admin(cluster)
    client.create_topics([wanted])[topic].result(SECONDS)


class Sender:
    """Records with acks=all; `acknowledged` are those that are safe."""

    def __init__(self, cluster: EmbeddedCluster, **config: object) -> None:
        self.acknowledged: list[str] = []
        self.failed: list[object] = []
        self.producer = Producer(
            {
                "bootstrap.servers": cluster.bootstrap_servers,
                "acks": "all",
                "message.timeout.ms": 30_000,
                **config,
            }
        )

    def send(self, topic: str, *values: str) -> None:
        for value in values:
            self.producer.produce(
                topic, value, partition=0,
                on_delivery=lambda error, _, value=value: (
                    self.failed.append(error) if error else self.acknowledged.append(value)
                ),
            )  # fmt: skip

    def flush(self) -> None:
        assert self.producer.flush(SECONDS) == 0
        assert not self.failed


def read(cluster: EmbeddedCluster, topic: str, count: int, partition: int = 0) -> list[str]:
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "none"})
    try:
        consumer.assign([Place(topic, partition, 0)])
        found: list[str] = []
        while len(found) < count:
            message = consumer.poll(SECONDS)
            assert message is not None
            assert message.error() is None, message.error()
            found.append(message.value().decode())
        return found
    finally:
        consumer.close()


def wait_for_isr(cluster: EmbeddedCluster, topic: str, *isr: int) -> None:
    wait(lambda: cluster.in_sync(topic) == [*isr], lambda: cluster.in_sync(topic))


def numbers(first: int, count: int) -> list[str]:
    return [str(one) for one in range(first, first + count)]


def test_one_broker_is_the_controller_and_topics_are_spread(cluster: EmbeddedCluster) -> None:
    assert cluster.running == [1, 2, 3]
    assert cluster.controller() in {1, 2, 3}
    create(cluster, "dogs", partitions=3)
    assert sorted(cluster.leader("dogs", index) for index in range(3)) == [1, 2, 3]
    assert cluster.in_sync("dogs") == [1, 2, 3]
    client, spread = admin(cluster), [[1, 2, 3]] * 3

    def replicas() -> list[list[int]]:
        """As any broker has them: none to begin with, then those of all partitions."""
        metadata = client.list_topics("dogs", SECONDS)
        assert sorted(metadata.brokers) == [1, 2, 3]
        found = [sorted(one.replicas) for one in metadata.topics["dogs"].partitions.values()]
        assert found in ([], spread)
        return found

    wait(lambda: replicas() == spread, replicas)


def test_a_broker_has_started_when_the_controller_has_named_the_others_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send = _Queue._send

    def send_late(queue: _Queue) -> None:
        queue._timers.after(0.2, lambda: send(queue))

    monkeypatch.setattr(_Queue, "_send", send_late)
    with EmbeddedCluster(2) as cluster, RawClient(cluster.port(2)) as client:
        found = client.ask(MetadataRequest(topics=[]), 9, MetadataResponse)
        assert sorted(one.node_id for one in found.brokers) == [1, 2]


@pytest.mark.parametrize("leaves", ["stop", "kill"])
def test_nothing_acknowledged_is_lost_through_the_end_of_a_leader(
    cluster: EmbeddedCluster, leaves: str
) -> None:
    create(cluster, "dogs")
    sender = Sender(cluster, **{"enable.idempotence": True})
    sender.send("dogs", *numbers(0, 500))
    sender.flush()
    before = cluster.leader("dogs")
    sender.send("dogs", *numbers(500, 500))
    getattr(cluster, leaves)(before)
    sender.send("dogs", *numbers(1000, 500))
    sender.flush()
    assert cluster.leader("dogs") != before
    assert sorted(sender.acknowledged, key=int) == numbers(0, 1500)
    # Each is there once, in order: the producer's state moved with the records.
    assert read(cluster, "dogs", 1500) == numbers(0, 1500)
    cluster.start(before)
    wait_for_isr(cluster, "dogs", 1, 2, 3)
    assert read(cluster, "dogs", 1500) == numbers(0, 1500)


def test_the_controller_is_killed_again_and_again(cluster: EmbeddedCluster) -> None:
    create(cluster, "dogs")
    sender = Sender(cluster)
    for turn in range(4):
        before = cluster.controller()
        cluster.kill(before)
        create(cluster, f"birds-{turn}", replicas=2)
        assert cluster.controller() not in {before, -1}
        sender.send("dogs", *numbers(100 * turn, 100))
        sender.flush()
        cluster.start(before)
        wait_for_isr(cluster, "dogs", 1, 2, 3)
    assert sorted(read(cluster, "dogs", 400), key=int) == numbers(0, 400)


def test_the_first_replicas_lead_again_by_themselves() -> None:
    properties = {"leader.imbalance.check.interval.seconds": "1"}
    with EmbeddedCluster(3, properties) as cluster:
        create(cluster, "dogs")
        first = cluster.leader("dogs", 0)
        cluster.kill(first)
        assert cluster.leader("dogs", 0) != first
        cluster.start(first)
        wait(lambda: cluster.leader("dogs", 0) == first, lambda: cluster.leader("dogs", 0))


def test_all_stop_and_all_come_back(tmp_path: Path) -> None:
    with EmbeddedCluster(3, data_dir=tmp_path) as cluster:
        create(cluster, "dogs")
        sender = Sender(cluster)
        sender.send("dogs", *numbers(0, 100))
        sender.flush()
        with pytest.raises(LockHeld), EmbeddedCluster(3, data_dir=tmp_path):
            pass
    assert sorted(one.name for one in tmp_path.iterdir() if one.is_dir()) == [
        "broker-1", "broker-2", "broker-3"
    ]  # fmt: skip
    with EmbeddedCluster(3, data_dir=tmp_path) as cluster:
        assert read(cluster, "dogs", 100) == numbers(0, 100)
        wait_for_isr(cluster, "dogs", 1, 2, 3)


def test_topics_grow_and_go(cluster: EmbeddedCluster) -> None:
    create(cluster, "dogs", replicas=2)
    client = admin(cluster)
    client.create_partitions([NewPartitions("dogs", 4)])["dogs"].result(SECONDS)
    assert {cluster.leader("dogs", index) for index in range(4)} == {1, 2, 3}
    client.delete_topics(["dogs"], operation_timeout=SECONDS)["dogs"].result(SECONDS)
    assert cluster.in_sync("dogs") == []
    with pytest.raises(RequestTimeout, match="dogs-0 has no leader"):
        cluster.leader("dogs", timeout_s=0.05)
    create(cluster, "dogs")
    assert cluster.in_sync("dogs") == [1, 2, 3]


def test_a_group_goes_on_when_its_coordinator_is_killed(cluster: EmbeddedCluster) -> None:
    create(cluster, "dogs")
    sender = Sender(cluster)
    sender.send("dogs", *numbers(0, 100))
    sender.flush()
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "pack",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    consumer = Consumer(config)
    consumer.subscribe(["dogs"])
    found: list[str] = []

    def poll_until(count: int) -> None:
        deadline = time.monotonic() + SECONDS
        while len(found) < count:
            assert time.monotonic() < deadline, found
            message = consumer.poll(1.0)
            if message is not None and message.error() is None:
                found.append(message.value().decode())

    poll_until(100)
    consumer.commit(asynchronous=False)
    client = admin(cluster)
    groups = client.describe_consumer_groups(["pack"])["pack"].result(SECONDS)
    cluster.kill(groups.coordinator.id)
    sender.send("dogs", *numbers(100, 100))
    sender.flush()
    poll_until(200)
    consumer.commit(asynchronous=False)
    (committed,) = consumer.committed([Place("dogs", 0)], SECONDS)
    assert committed.offset == 200
    consumer.close()
    assert found == numbers(0, 200)


def test_offsets_of_a_deleted_topic_are_forgotten(cluster: EmbeddedCluster) -> None:
    create(cluster, "dogs")
    create(cluster, "cats")
    places = [Place("dogs", 0, 5), Place("cats", 0, 7)]
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "pack"})
    try:
        consumer.commit(offsets=places, asynchronous=False)
        client = admin(cluster)
        client.delete_topics(["dogs"])["dogs"].result(SECONDS)
        create(cluster, "dogs")

        def committed() -> list[int]:
            return [one.offset for one in consumer.committed(places, SECONDS)]

        wait(lambda: committed() == [OFFSET_INVALID, 7], committed)
    finally:
        consumer.close()


def test_transactions_end_in_partitions_of_all_brokers(cluster: EmbeddedCluster) -> None:
    create(cluster, "dogs", partitions=3)
    sender = Sender(cluster, **{"transactional.id": "pack"})
    producer = sender.producer
    producer.init_transactions(SECONDS)
    for kept, value in ((True, "one"), (False, "two"), (True, "three")):
        producer.begin_transaction()
        for index in range(3):
            producer.produce("dogs", value, partition=index)
        if kept:
            producer.commit_transaction(SECONDS)
        else:
            assert producer.flush(SECONDS) == 0
            producer.abort_transaction(SECONDS)
    for index in range(3):
        assert read(cluster, "dogs", 2, partition=index) == ["one", "three"]


def test_the_topic_of_transactions_has_its_own_number_of_replicas() -> None:
    properties = {
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "3",
        "transaction.state.log.min.isr": "3",
    }
    with EmbeddedCluster(2, properties) as cluster:
        create(cluster, "dogs", replicas=2)
        producer = Sender(cluster, **{"transactional.id": "pack"}).producer
        producer.init_transactions(SECONDS)
        client = admin(cluster)
        described = client.list_topics(timeout=SECONDS).topics["__transaction_state"]
        assert {len(one.replicas) for one in described.partitions.values()} == {2}
        resource = ConfigResource(ConfigResource.Type.TOPIC, "__transaction_state")
        config = client.describe_configs([resource])[resource].result(SECONDS)
        assert config["min.insync.replicas"].value == "2"


def test_a_transaction_survives_its_coordinator_and_the_leader(cluster: EmbeddedCluster) -> None:
    create(cluster, "dogs", partitions=3)
    producer = Sender(cluster, **{"transactional.id": "pack"}).producer
    producer.init_transactions(SECONDS)
    for turn, broker in enumerate((1, 2, 3)):
        producer.begin_transaction()
        for index in range(3):
            producer.produce("dogs", f"before-{turn}", partition=index)
        assert producer.flush(SECONDS) == 0
        cluster.kill(broker)
        producer.commit_transaction(SECONDS)
        for index in range(3):
            found = read(cluster, "dogs", turn + 1, partition=index)
            assert found == [f"before-{one}" for one in range(turn + 1)]
        cluster.start(broker)
        wait_for_isr(cluster, "dogs", 1, 2, 3)
        wait_for_isr(cluster, "__transaction_state", 1, 2, 3)


def test_misuse_is_an_error_that_says_what_to_do() -> None:
    cluster = EmbeddedCluster(2)
    with pytest.raises(LocalProtocolError, match="with EmbeddedCluster"):
        cluster.kill(1)
    with cluster:
        with pytest.raises(LocalProtocolError, match="runs already"):
            cluster.start(1)
        cluster.stop(1)
        with pytest.raises(LocalProtocolError, match="does not run"):
            cluster.kill(1)
        assert cluster.running == [2]


def test_consumers_of_librdkafka_read_in_their_rack_also_what_is_committed() -> None:
    selector = {"replica.selector.class": RACK_AWARE}
    with EmbeddedCluster(3, selector, racks=("a", "b", "c")) as cluster:
        create(cluster, "dogs")
        leader = cluster.leader("dogs")
        near = leader % 3 + 1
        producer = Sender(cluster, **{"transactional.id": "pack"}).producer
        producer.init_transactions(SECONDS)
        for kept, value in ((True, "one"), (False, "two"), (True, "three")):
            producer.begin_transaction()
            producer.produce("dogs", value, partition=0)
            if kept:
                producer.commit_transaction(SECONDS)
            else:
                assert producer.flush(SECONDS) == 0
                producer.abort_transaction(SECONDS)
        fetched_from: list[int] = []

        def on_statistics(text: str) -> None:
            topic = json.loads(text)["topics"].get("dogs")
            if topic is not None:
                fetched_from.append(topic["partitions"]["0"]["broker"])

        consumer = Consumer(
            {
                "bootstrap.servers": cluster.bootstrap_servers,
                "group.id": "none",
                "client.rack": "abc"[near - 1],
                "isolation.level": "read_committed",
                "statistics.interval.ms": 20,
                "stats_cb": on_statistics,
            }
        )
        try:
            consumer.assign([Place("dogs", 0, 0)])
            found: list[bytes] = []

            def has(count: int, broker: int) -> bool:
                message = consumer.poll(0.02)
                if message is not None:
                    assert message.error() is None, message.error()
                    found.append(message.value())
                return len(found) == count and fetched_from[-1:] == [broker]

            wait(lambda: has(2, near), lambda: (found, fetched_from))
            assert found == [b"one", b"three"]
            # The consumer goes on when the replica that it reads from goes.
            cluster.kill(near)
            sender = Sender(cluster)
            sender.send("dogs", "four")
            sender.flush()  # A record that is not reported as delivered keeps its producer for ever.
            wait(lambda: has(3, leader), lambda: (found, fetched_from))
            assert found[2:] == [b"four"]
        finally:
            consumer.close()
