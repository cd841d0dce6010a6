"""`barnabas mirror` from Apache Kafka, of today and old, into ours; from ours into Kafka 4.3 and 0.7."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from kazoo.client import KazooClient

from barnabas import driver07
from barnabas.driver07 import SimpleConsumer
from tests.interop.brokers import InteropBroker
from tests.interop.peers.brokers.jafka import Jafka
from tests.interop.peers.brokers.old_kafka import OldKafka
from tests.interop.peers.brokers.our_broker import OurBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.brokers.zookeeper import ZooKeeper
from tests.interop.peers.generations import KAFKA_0_8_2, KAFKA_0_9, KAFKA_0_10, KAFKA_2_8
from tests.interop.peers.maven import MavenPeer
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = [pytest.mark.interop, pytest.mark.java, pytest.mark.spark, pytest.mark.timeout(900)]

SECONDS = 60
PARTITIONS = 2
COUNT = 400
# Recent: Kafka deletes after its retention time what claims to be of long ago, 30 s after its start.
FIRST_MS = int(time.time() * 1000) - 3_600_000
SAVED = [50, 170]

Kept = tuple[bytes | None, bytes | None, int, list[tuple[str, bytes]] | None]


@pytest.fixture(
    params=[
        pytest.param(None, marks=pytest.mark.long, id="4.3"),
        pytest.param(KAFKA_2_8, marks=pytest.mark.long, id="2.8"),
        pytest.param(KAFKA_0_10, marks=pytest.mark.long, id="0.10.2"),
    ]
)
def source(request: pytest.FixtureRequest) -> Iterator[InteropBroker]:
    """Apache Kafka of a release."""
    try:
        if request.param is None:
            yield InteropBroker(request.getfixturevalue("real_kafka"))
        else:
            with OldKafka(request.param) as kafka:
                yield InteropBroker(kafka)
    except PeerMissing as missing:
        give_up(missing)


def produce(servers: str, topic: str, numbers: range, *, headers: bool) -> None:
    """Null keys, tombstones and headers among them, compressed and not."""
    for codec, part in (("gzip", numbers[::2]), ("none", numbers[1::2])):
        producer = Producer({"bootstrap.servers": servers, "compression.type": codec})
        for number in part:
            producer.produce(
                topic,
                None if number % 50 == 3 else b"value %d" % number,
                None if number % 7 == 0 else b"key %d" % (number % 7),
                number % PARTITIONS,
                timestamp=FIRST_MS + number,
                headers=[("n", b"%d" % number)] if headers and number % 3 else None,
            )
        assert producer.flush(SECONDS) == 0


def read(servers: str, topic: str, starts: list[int], counts: list[int]) -> list[list[Kept]]:
    """What librdkafka reads of committed records of each partition."""
    found: list[list[Kept]] = []
    for partition, (start, count) in enumerate(zip(starts, counts, strict=True)):
        consumer = Consumer({"bootstrap.servers": servers, "group.id": "unused"})
        consumer.assign([TopicPartition(topic, partition, start)])
        messages = consumer.consume(count, SECONDS)
        consumer.close()
        found.append(
            [(one.value(), one.key(), one.timestamp()[1], one.headers()) for one in messages]
        )
    return found


def save(servers: str, group: str, topic: str, positions: list[int]) -> None:
    admin = AdminClient({"bootstrap.servers": servers})
    places = [TopicPartition(topic, each, at) for each, at in enumerate(positions)]
    asked = [ConsumerGroupTopicPartitions(group, places)]
    (done,) = admin.alter_consumer_group_offsets(asked).values()
    done.result(SECONDS)


def saved(servers: str, group: str, topic: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    places = [TopicPartition(topic, each) for each in range(PARTITIONS)]
    found = consumer.committed(places, SECONDS)
    consumer.close()
    return [each.offset for each in found]


def mirror(source: str, target: str, topic: str, folder: Path, *more: str) -> Any:
    command = [
        *(sys.executable, "-m", "barnabas", "mirror", topic, "--from", source, "-b", target),
        *("--work", str(folder / "work"), "--json", *(more or ("--all-groups",))),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=400, check=False, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def test_from_kafka_to_ours_and_again(
    source: InteropBroker, our_broker: OurBroker, tmp_path: Path
) -> None:
    target, group = our_broker.bootstrap_servers, f"readers-{source.name}"
    headers = source.name != KAFKA_0_10.name
    topic = source.new_topic(partitions=PARTITIONS)
    produce(source.bootstrap_servers, topic, range(COUNT), headers=headers)
    save(source.bootstrap_servers, group, topic, SAVED)
    mirrored = mirror(source.bootstrap_servers, target, topic, tmp_path)
    assert [each["state"] for each in mirrored["groups"] if each["group"] == group] == [
        "moved"
    ] * PARTITIONS
    half = COUNT // PARTITIONS
    rest = [half - at for at in SAVED]
    there = read(source.bootstrap_servers, topic, SAVED, rest)
    assert read(target, topic, saved(target, group, topic), rest) == there
    produce(source.bootstrap_servers, topic, range(COUNT, 2 * COUNT), headers=headers)
    assert mirror(source.bootstrap_servers, target, topic, tmp_path)["records"] == COUNT
    there = read(source.bootstrap_servers, topic, [0] * PARTITIONS, [2 * half] * PARTITIONS)
    assert [len(rows) for rows in there] == [2 * half] * PARTITIONS
    assert read(target, topic, [0] * PARTITIONS, [2 * half] * PARTITIONS) == there


@pytest.mark.long
@pytest.mark.parametrize("release", [KAFKA_0_8_2, KAFKA_0_9], ids=lambda one: one.version)
def test_from_brokers_that_do_not_tell_their_versions(
    release: MavenPeer, our_broker: OurBroker, tmp_path: Path
) -> None:
    """A source that has no ApiVersions needs a property; groups there are moved by name."""
    named = {"broker.version.fallback": release.version, "api.version.request": "false"}
    topic, group = f"from-{release.version}", f"readers-of-{release.version}"
    target = our_broker.bootstrap_servers
    try:
        with OldKafka(release) as kafka:
            source = {"bootstrap.servers": kafka.bootstrap_servers, **named}
            producer = Producer({**source, "compression.type": "gzip"})
            for number in range(COUNT):
                producer.produce(topic, b"value %d" % number, b"key %d" % number, 0)
            assert producer.flush(SECONDS) == 0
            with closing(Consumer({**source, "group.id": group})) as consumer:
                consumer.commit(offsets=[TopicPartition(topic, 0, SAVED[0])], asynchronous=False)
            old = [part for each in named.items() for part in ("--from-property", "=".join(each))]
            more = ("--group", group, *old)
            mirrored = mirror(kafka.bootstrap_servers, target, topic, tmp_path, *more)
    except PeerMissing as missing:
        give_up(missing)
    assert mirrored["records"] == COUNT
    assert [each["state"] for each in mirrored["groups"]] == ["moved"]
    (rows,) = read(target, topic, [0], [COUNT])
    assert [(value, key) for value, key, *_ in rows] == [
        (b"value %d" % number, b"key %d" % number) for number in range(COUNT)
    ]
    assert saved(target, group, topic)[0] == SAVED[0]


@pytest.mark.long
def test_from_ours_to_kafka_and_back(
    our_broker: OurBroker, real_kafka: RealKafka, tmp_path: Path
) -> None:
    """Records come back as they were, and a migrated group continues at its offsets."""
    ours, kafka, group = (
        our_broker.bootstrap_servers,
        real_kafka.bootstrap_servers,
        "there-and-back",
    )
    topic = InteropBroker(our_broker).new_topic(partitions=PARTITIONS)
    produce(ours, topic, range(COUNT), headers=True)
    save(ours, group, topic, SAVED)
    mirrored = mirror(ours, kafka, topic, tmp_path / "there")
    assert mirrored["records"] == COUNT
    half = COUNT // PARTITIONS
    rest = [half - at for at in SAVED]
    sent = read(ours, topic, [0] * PARTITIONS, [half] * PARTITIONS)
    assert read(kafka, topic, [0] * PARTITIONS, [half] * PARTITIONS) == sent
    unread = [rows[at:] for rows, at in zip(sent, SAVED, strict=True)]
    assert read(kafka, topic, saved(kafka, group, topic), rest) == unread
    with OurBroker() as other:
        back = mirror(kafka, other.bootstrap_servers, topic, tmp_path / "back")
        assert back["records"] == COUNT
        again = other.bootstrap_servers
        assert read(again, topic, saved(again, group, topic), rest) == unread
        assert read(again, topic, [0] * PARTITIONS, [half] * PARTITIONS) == sent


def test_from_ours_to_0_7(our_broker: OurBroker, tmp_path: Path) -> None:
    """To Jafka, which is 0.7 on the wire; a group of 0.7 continues at the offsets of a modern one."""
    servers, group = our_broker.bootstrap_servers, "readers-to-07"
    topic = InteropBroker(our_broker).new_topic(partitions=PARTITIONS)
    sent = [[b"%d of %d" % (n, one) for n in range(300)] for one in range(PARTITIONS)]
    producer = Producer({"bootstrap.servers": servers})
    for partition, values in enumerate(sent):
        for value in values[:200]:
            producer.produce(topic, value, partition=partition)
    assert producer.flush(SECONDS) == 0
    save(servers, group, topic, SAVED)
    try:
        with ZooKeeper() as keeper:
            with closing(KazooClient(keeper.address)) as root:
                root.start(SECONDS)
                root.ensure_path("/old")
                root.stop()
            with Jafka(keeper, "/old", 1) as jafka:
                old = f"{keeper.address}/old"
                done = mirror_to_07(servers, old, topic, tmp_path, "--group", group)
                assert [each["state"] for each in done["groups"]] == ["moved"] * PARTITIONS
                for partition, values in enumerate(sent):
                    for value in values[200:]:
                        producer.produce(topic, value, partition=partition)
                assert producer.flush(SECONDS) == 0
                again = mirror_to_07(servers, old, topic, tmp_path)
                assert again["records"] == 100 * PARTITIONS
                for partition, values in enumerate(sent):
                    assert stored(jafka.port, topic, partition) == values
                for partition, values in enumerate(as_group(old, group, topic)):
                    assert values == sent[partition][SAVED[partition] :]
    except PeerMissing as missing:
        give_up(missing)


def mirror_to_07(source: str, keeper: str, topic: str, folder: Path, *more: str) -> Any:
    command = [
        *(sys.executable, "-m", "barnabas", "mirror", topic, "--from", source, *more),
        *("--to-zookeeper", keeper, "--work", str(folder / "work"), "--json"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def stored(port: int, topic: str, partition: int) -> list[bytes]:
    """All that a broker of 0.7 has."""
    found: list[bytes] = []
    with SimpleConsumer("127.0.0.1", port) as consumer:
        at, end = 0, consumer.offsets(topic, partition)[0]
        while at < end:
            messages, at = consumer.fetch(topic, partition, at)
            found += [bytes(message.payload) for message in messages]
    return found


def as_group(keeper: str, group: str, topic: str) -> list[list[bytes]]:
    """What a consumer of 0.7 reads from where its group is in ZooKeeper."""
    found: list[list[bytes]] = [[] for _ in range(PARTITIONS)]
    left = sum(300 - at for at in SAVED)
    config = {"zk.connect": keeper, "groupid": group, "autooffset.reset": "smallest"}
    with driver07.Consumer([topic], config) as consumer:
        deadline = time.monotonic() + SECONDS
        while sum(map(len, found)) < left:
            assert time.monotonic() < deadline
            for chunk in consumer.poll(0.1):
                values = [bytes(message.payload) for message in chunk.messages]
                found[chunk.partition.partition] += values
    return found
