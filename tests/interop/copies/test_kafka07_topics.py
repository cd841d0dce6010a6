"""A topic of Kafka 0.7's format and all that reads it today: groups, old versions, our own tools."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from kafka import KafkaConsumer
from kafka import TopicPartition as PythonPartition

from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_message, encode_set
from barnabas.testing import EmbeddedBroker
from tests.wires.wire07 import Wire07

pytestmark = pytest.mark.interop

VALUES = [b"%d" % number for number in range(60)]


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    """A broker of 0.7, with a listener for clients of today, and a topic of 60 messages."""
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "OLD:kafka-0.7",
        "log.file.size": "200",
        "offsets.topic.num.partitions": "1",
    }
    with EmbeddedBroker(config, profile="0.7") as made:
        with Wire07(made.port_of("OLD")) as wire:
            for first in range(0, 60, 10):
                codec = Codec(first // 10 % 3)
                wire.produce("topic", 0, encode_set(VALUES[first : first + 10], codec=codec))
            wire.produce("topic", 0, encode_message(b""))
            assert wire.fetch("topic", size=0) == (0, b"")
        yield made


def taken(broker: EmbeddedBroker, count: int) -> list[bytes | None]:
    """The next values of a group of librdkafka, which commits how far it is."""
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": "group",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe(["topic"])
    found: list[bytes | None] = []
    end = TopicPartition("topic", 0, 0)
    while len(found) < count:
        message = consumer.poll(30)
        assert message is not None
        assert not message.error(), message.error()
        found.append(message.value())
        end = TopicPartition("topic", 0, (message.offset() or 0) + 1)
    consumer.commit(offsets=[end], asynchronous=False)
    consumer.close()
    return found


def test_a_group_goes_on_where_it_was_even_inside_a_compressed_message(
    broker: EmbeddedBroker,
) -> None:
    assert taken(broker, 5) == VALUES[:5]
    assert taken(broker, 10) == VALUES[5:15]
    assert taken(broker, 46) == [*VALUES[15:], b""]


@pytest.mark.parametrize("version", [(0, 8, 2), (0, 10, 0), (0, 11), (2, 6)])
def test_kafka_python_of_any_generation(broker: EmbeddedBroker, version: tuple[int, ...]) -> None:
    place = PythonPartition("topic", 0)
    consumer = KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, api_version=version)
    consumer.assign([place])
    consumer.seek_to_beginning(place)
    found: list[bytes] = []
    while len(found) < 61:
        polled = consumer.poll(20_000).get(place)
        assert polled, found
        found += [one.value for one in polled]
    assert found == [*VALUES, b""]
    consumer.close()


def test_our_own_consume(broker: EmbeddedBroker) -> None:
    done = subprocess.run(
        [
            sys.executable, "-m", "barnabas", "consume", "topic", "--from-beginning", "--exit",
            "-b", broker.bootstrap_servers,
        ],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout.split(b"\n") == [*VALUES, b"", b""]


@pytest.mark.parametrize(("topic", "version"), [("topic", "2.8"), ("today", "0.7")])
def test_a_topic_keeps_what_its_offsets_mean(
    broker: EmbeddedBroker, topic: str, version: str
) -> None:
    if topic == "today":
        broker.create_topic(topic, 1, {"message.format.version": "2.8"})
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    entry = ConfigEntry(
        "message.format.version", version, incremental_operation=AlterConfigOpType.SET
    )
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    (asked,) = admin.incremental_alter_configs([resource]).values()
    with pytest.raises(KafkaException, match="would no longer be what they are"):
        asked.result(20)
