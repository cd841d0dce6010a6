"""Clients that speak as in the days of 0.8 to 0.10: they share topics with those of today."""

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from kafka import KafkaConsumer, KafkaProducer
from kafka import TopicPartition as PythonPartition

from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.client import READ_SECONDS
from tests.interop.clients.confluent import Confluent, consumer_settings, take
from tests.interop.peers.brokers.our_broker import OurBroker

pytestmark = pytest.mark.interop

GENERATIONS = [(0, 8, 2), (0, 9), (0, 10, 0)]
OLD_CODECS = ["none", "gzip", "snappy", "lz4"]
Pair = tuple[bytes | None, bytes | None]
PAIRS: list[Pair] = [(each.key, each.value) for each in samples.many(300)] + [
    (None, b"no key"), (b"", b"empty key"), (b"tombstone", None), (b"empty value", b""),
]  # fmt: skip


@pytest.fixture
def ours(our_broker: OurBroker) -> InteropBroker:
    """Kafka 4 no longer answers these clients, so there is no other broker to hold ours to."""
    return InteropBroker(our_broker)


def old_settings(address: str, version: str) -> dict[str, str | int | bool]:
    return {
        "bootstrap.servers": address,
        "api.version.request": False,
        "broker.version.fallback": version,
    }


def pairs_of_today(address: str, topic: str) -> list[Pair]:
    return [(each.key, each.value) for each in Confluent().read(address, topic, len(PAIRS))]


@pytest.mark.parametrize(
    ("version", "codec"),
    [
        (version, codec)
        for version in GENERATIONS
        for codec in OLD_CODECS
        # It needs a package more to write lz4 with the header checksum of the first brokers.
        if codec != "lz4" or version >= (0, 10)
    ],
    ids=str,
)
def test_kafka_python_of_old_versions(
    ours: InteropBroker, version: tuple[int, ...], codec: str
) -> None:
    topic, address = ours.new_topic(), ours.bootstrap_servers
    producer = KafkaProducer(
        bootstrap_servers=address,
        api_version=version,
        compression_type=None if codec == "none" else codec,
        linger_ms=20,
        enable_idempotence=False,
    )
    pending = [producer.send(topic, value, key, partition=0) for key, value in PAIRS]
    assert [each.get(READ_SECONDS).offset for each in pending] == list(range(len(PAIRS)))
    producer.close(10)
    assert pairs_of_today(address, topic) == PAIRS
    Confluent().write(address, topic, samples.awkward(), codec=codec)
    consumer = KafkaConsumer(
        bootstrap_servers=address,
        api_version=version,
        group_id=None,
        consumer_timeout_ms=int(READ_SECONDS * 1000),
    )
    place = PythonPartition(topic, 0)
    consumer.assign([place])
    consumer.seek_to_beginning(place)
    expected = PAIRS + [(each.key, each.value) for each in samples.awkward()]
    got = [(each.offset, each.key, each.value) for _, each in zip(expected, consumer, strict=False)]
    consumer.close()
    assert got == [(at, *pair) for at, pair in enumerate(expected)]


@pytest.mark.parametrize("codec", OLD_CODECS)
@pytest.mark.parametrize("version", ["0.8.2.1", "0.9.0", "0.10.0.0"])
def test_librdkafka_that_takes_the_broker_for_an_old_one(
    ours: InteropBroker, version: str, codec: str
) -> None:
    topic, address = ours.new_topic(), ours.bootstrap_servers
    refused: list[object] = []
    producer = Producer(
        {**old_settings(address, version), "compression.type": codec, "linger.ms": 100}
    )

    def reported(error: object, message: Message) -> None:
        del message
        if error is not None:
            refused.append(error)

    for key, value in PAIRS:
        producer.produce(topic, value, key, partition=0, on_delivery=reported)
    assert producer.flush(READ_SECONDS) == 0
    assert not refused
    assert pairs_of_today(address, topic) == PAIRS
    Confluent().write(address, topic, samples.awkward(), codec=codec)
    consumer = Consumer({**consumer_settings(address), **old_settings(address, version)})
    consumer.assign([TopicPartition(topic, 0, 0)])
    expected = PAIRS + [(each.key, each.value) for each in samples.awkward()]
    try:
        got = [(each.key(), each.value()) for each in take(consumer, len(expected))]
        assert got == expected
        assert consumer.get_watermark_offsets(TopicPartition(topic, 0), 30) == (0, len(expected))
    finally:
        consumer.close()
