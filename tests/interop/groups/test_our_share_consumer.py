"""Our ShareConsumer on Apache Kafka 4.3 and on ours, alone and beside Java's share consumer."""

import time
from collections import Counter

import pytest

from barnabas import AcknowledgeType, Admin, Producer, Record, Resource, ShareConsumer
from tests.interop.brokers import InteropBroker
from tests.interop.groups.test_share_groups import Sharer
from tests.interop.peers.maven import KAFKA_4

pytestmark = [pytest.mark.interop, pytest.mark.java]

SECONDS = 60
COUNT = 600
PARTITIONS = 3


@pytest.fixture
def topic(broker: InteropBroker) -> str:
    """A topic, and a group of the same name that reads it from its first record on."""
    name = broker.new_topic(partitions=PARTITIONS)
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.alter_configs(Resource.GROUP, name, {"share.auto.offset.reset": "earliest"})
    return name


def fill(broker: InteropBroker, topic: str, first: int, count: int) -> None:
    servers = broker.bootstrap_servers
    with Producer(bootstrap_servers=servers, batch_size=500, compression_type="lz4") as producer:
        for number in range(first, first + count):
            producer.send(topic, str(number), partition=number % PARTITIONS)


def member(broker: InteropBroker, topic: str, **more: object) -> ShareConsumer:
    consumer = ShareConsumer(bootstrap_servers=broker.bootstrap_servers, group_id=topic, **more)
    consumer.subscribe([topic])
    return consumer


def take(consumer: ShareConsumer, count: int) -> list[Record]:
    found: list[Record] = []
    deadline = time.monotonic() + SECONDS
    while len(found) < count:
        assert time.monotonic() < deadline, f"{len(found)} of {count}"
        found += consumer.poll(timeout_s=1)
    return found


def numbers(records: list[Record]) -> Counter[int]:
    return Counter(int(record.value or b"") for record in records)


def test_accept_release_and_reject(broker: InteropBroker, topic: str) -> None:
    fill(broker, topic, 0, COUNT)
    with member(broker, topic) as consumer:
        records = take(consumer, COUNT)
        assert numbers(records) == Counter(range(COUNT))
        assert set(consumer.commit().values()) == {None}
        fill(broker, topic, COUNT, 3)
        one, two, _ = take(consumer, 3)
        consumer.acknowledge(one, AcknowledgeType.RELEASE)
        consumer.acknowledge(two, AcknowledgeType.REJECT)
        (again,) = take(consumer, 1)
        assert (again.value, consumer.delivery_count(again)) == (one.value, 2)
    with member(broker, topic) as consumer:
        assert consumer.poll(timeout_s=3) == []


def test_what_was_not_acknowledged_comes_again(broker: InteropBroker, topic: str) -> None:
    fill(broker, topic, 0, 10)
    with member(broker, topic, share_acknowledgement_mode="explicit") as consumer:
        records: list[Record] = []
        while not records:
            records = consumer.poll(timeout_s=SECONDS)
        consumer.acknowledge(records[0])
    rest = Counter(range(10)) - numbers(records[:1])
    with member(broker, topic) as consumer:
        again: Counter[int] = Counter()
        deadline = time.monotonic() + SECONDS
        while again != rest:
            assert time.monotonic() < deadline, again
            for record in consumer.poll(timeout_s=1):
                assert consumer.delivery_count(record) == 1 + (record in records)
                again += numbers([record])


def test_beside_a_member_of_java(broker: InteropBroker, topic: str) -> None:
    """Each record is acknowledged by one of the two."""
    with (
        Sharer(KAFKA_4, broker.bootstrap_servers, topic, topic) as java,
        member(broker, topic, max_poll_records=20) as consumer,
    ):
        consumer.poll(timeout_s=1)
        mine: Counter[tuple[int, int]] = Counter()
        sent, deadline = 0, time.monotonic() + SECONDS
        while True:
            theirs = java.reported()
            if sent >= COUNT and mine and theirs and sum((mine + theirs).values()) >= sent:
                break
            assert time.monotonic() < deadline, (len(mine), len(theirs), sent)
            if sent < COUNT or not (mine and theirs):
                fill(broker, topic, sent, 30)
                sent += 30
            records = consumer.poll(timeout_s=0.3)
            mine.update((record.partition, record.offset) for record in records)
            assert set(consumer.commit().values()) <= {None}
        assert mine + java.reported() == Counter(
            (number % PARTITIONS, number // PARTITIONS) for number in range(sent)
        )
