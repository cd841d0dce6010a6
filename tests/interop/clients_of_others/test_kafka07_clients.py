"""Clients of Kafka 0.6 and 0.7 that others wrote, on our broker, next to those of today."""

from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Place

from barnabas.testing import EmbeddedBroker
from tests.interop.peers.kafka07_clients import (
    Client07,
    jafka_client,
    node_client,
    python_client,
)
from tests.interop.peers.missing import PeerMissing, give_up
from tests.wires.wire07 import Wire07

pytestmark = pytest.mark.interop

TEXTS = ("eins", "zwei", "drei")
MAGIC_0, MAGIC_1 = [13, 26, 39], [14, 28, 42]


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    """Two listeners: the first for clients of today, the other for those of 0.7."""
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "OLD:kafka-0.7",
        "num.partitions": "2",
    }
    with EmbeddedBroker(config) as made:
        yield made


def client_of(find: Callable[..., Client07], *name: str) -> Client07:
    try:
        return find(*name)
    except PeerMissing as missing:
        give_up(missing)


def read_today(broker: EmbeddedBroker, topic: str, count: int) -> list[tuple[int, bytes]]:
    """Offset and value of what librdkafka reads; then its next offset, without a value."""
    consumer = Consumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": topic})
    consumer.assign([Place(topic, 1, 0)])
    found: list[tuple[int, bytes]] = []
    while len(found) < count:
        message = consumer.poll(20)
        assert message is not None
        assert not message.error(), message.error()
        found.append((message.offset() or 0, message.value() or b""))
    consumer.close()
    return found


def converse(
    broker: EmbeddedBroker, client: Client07, topic: str, verb: str, offsets: list[int]
) -> list[tuple[str, int]]:
    """The client writes and reads; then a client of today does, and it reads that too."""
    port = broker.port_of("OLD")
    client.produce(verb, port, topic, 1, *TEXTS)
    found = client.consume(port, topic, 1, 0, 3)
    assert [text for text, _ in found[:3]] == list(TEXTS)
    today = read_today(broker, topic, 3)
    assert [value for _, value in today] == [text.encode() for text in TEXTS]
    if offsets:
        assert [offset for offset, _ in today] == [0, *offsets[:-1]]
    return found


@pytest.mark.parametrize(
    ("name", "verb", "offsets", "besides"),
    [
        ("samsa", "produce0", MAGIC_0, "[3, 2]"),
        ("samsa", "produce1", MAGIC_1, "[3, 2]"),
        ("samsa", "multiproduce", MAGIC_0, "[3, 2]"),
        ("brod", "produce", MAGIC_0, "0 OffsetOutOfRange"),
    ],
)
def test_python_2(
    broker: EmbeddedBroker, name: str, verb: str, offsets: list[int], besides: str
) -> None:
    client = client_of(python_client, name)
    found = converse(broker, client, f"{name}-{verb}", verb, offsets)
    assert [number for _, number in found] == [*offsets, offsets[-1]]
    assert found[3][0] == besides


def test_pykafka_0_1(broker: EmbeddedBroker) -> None:
    client = client_of(python_client, "pykafka")
    found = converse(broker, client, "pykafka", "produce", MAGIC_0)
    # It only knows how far it is when it has read all of a fetch.
    assert {number for _, number in found} == {MAGIC_0[-1]}


def test_npm_kafka(broker: EmbeddedBroker) -> None:
    found = converse(broker, client_of(node_client, "kafka"), "npm-kafka", "produce", MAGIC_0)
    assert [number for _, number in found] == MAGIC_0


def test_npm_prozess(broker: EmbeddedBroker) -> None:
    found = converse(broker, client_of(node_client, "prozess"), "prozess", "produce", MAGIC_1)
    assert found[3] == ("0", MAGIC_1[-1])


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_npm_franz_kafka(broker: EmbeddedBroker, codec: str) -> None:
    offsets = MAGIC_1 if codec == "none" else []
    converse(broker, client_of(node_client, "franz-kafka"), f"franz-{codec}", codec, offsets)


@pytest.mark.java
@pytest.mark.parametrize("verb", ["produce", "gzip", "multiproduce"])
def test_jafka(broker: EmbeddedBroker, verb: str) -> None:
    topic = f"jafka-{verb}"
    offsets = [] if verb == "gzip" else MAGIC_1
    found = converse(broker, client_of(jafka_client), topic, verb, offsets)
    with Wire07(broker.port_of("OLD")) as wire:
        end = wire.offsets(topic, 1, -1, 1)[0]
    assert found[3] == ("3", end)
    assert found[2][1] == end
    if offsets:
        assert [number for _, number in found[:3]] == offsets


def test_a_client_of_today_writes_for_one_of_07(broker: EmbeddedBroker) -> None:
    """A team can move its readers first and its writers later, or the other way round."""
    client = client_of(node_client, "prozess")
    port, topic = broker.port_of("OLD"), "both"
    client.produce("produce", port, topic, 1, "old")
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    received: list[str] = []
    for key, value in ((None, b"new"), (b"key", b"lost")):
        producer.produce(
            topic,
            value,
            key,
            1,
            on_delivery=lambda error, _: received.append(str(error and error.name())),
        )
        producer.flush(20)
    assert received == ["None", "UNSUPPORTED_FOR_MESSAGE_FORMAT"]
    assert [text for text, _ in client.consume(port, topic, 1, 0, 2)[:2]] == ["old", "new"]
