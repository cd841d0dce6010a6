"""Clients that we did not write read a topic that was compacted under them, gaps and all."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from barnabas.testing import EmbeddedBroker
from tests.interop.compacting import cleaned_up_to
from tests.interop.peers.kafka_tools import run_tool
from tests.interop.peers.missing import PeerMissing, give_up

pytestmark = pytest.mark.interop

RECORDS, KEYS = 60_000, 1_000
SECONDS = 30


class Compacted:
    """A broker whose topic `t` was compacted; `latest` is what every key must be."""

    def __init__(self, broker: EmbeddedBroker) -> None:
        self.bootstrap = broker.bootstrap_servers
        self.folder = Path(broker.data_dir) / "t-0"
        self.latest: dict[bytes, bytes] = {}
        producer = Producer({"bootstrap.servers": self.bootstrap, "batch.size": 20_000})
        for number in range(RECORDS):
            key, value = b"k%d" % (number * 7919 % KEYS), b"%d-" % number * 12
            producer.produce("t", value, key, partition=0)
            self.latest[key] = value
            if number % 2_000 == 0:
                producer.poll(0)
        assert producer.flush(SECONDS) == 0
        active = max(int(log.stem) for log in self.folder.glob("*.log"))
        deadline = time.monotonic() + SECONDS
        while cleaned_up_to(broker.data_dir) < active:
            assert time.monotonic() < deadline, "the cleaner left something"
            time.sleep(0.05)


@pytest.fixture(scope="module")
def compacted() -> Iterator[Compacted]:
    config = {"log.cleaner.backoff.ms": 100, "log.cleaner.min.cleanable.ratio": 0.01}
    with EmbeddedBroker(config) as broker:
        broker.create_topic("t", 1, {"cleanup.policy": "compact", "segment.bytes": "1048576"})
        yield Compacted(broker)


def test_librdkafka_reads_the_latest_of_each_key(compacted: Compacted) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": compacted.bootstrap,
            "group.id": "readers",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition("t", 0, 0)])
    found: dict[bytes, bytes] = {}
    offsets: list[int] = []
    while True:
        message = consumer.poll(SECONDS)
        assert message is not None
        if message.error():
            break
        found[message.key()] = message.value()
        offsets.append(message.offset())
    consumer.close()
    assert found == compacted.latest
    assert offsets == sorted(set(offsets))
    assert len(offsets) < RECORDS / 2


def test_kafka_python_reads_the_latest_of_each_key(compacted: Compacted) -> None:
    from kafka import KafkaConsumer
    from kafka import TopicPartition as Partition

    consumer, place = KafkaConsumer(bootstrap_servers=compacted.bootstrap), Partition("t", 0)
    consumer.assign([place])
    consumer.seek_to_beginning(place)
    found: dict[bytes, bytes] = {}
    deadline = time.monotonic() + SECONDS
    while consumer.position(place) < RECORDS:
        assert time.monotonic() < deadline, "it does not come to the end"
        for messages in consumer.poll(500).values():
            found |= {message.key: message.value for message in messages}
    consumer.close()
    assert found == compacted.latest


@pytest.mark.java
def test_kafkas_own_tool_finds_no_fault(compacted: Compacted) -> None:
    paths = sorted(map(str, compacted.folder.glob("*.log")))
    try:
        printed = run_tool("DumpLogSegments", "--files", ",".join(paths), "--deep-iteration")
    except PeerMissing as missing:
        give_up(missing)
    assert "isvalid: true" in printed
    assert "isvalid: false" not in printed
