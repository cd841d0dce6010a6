"""librdkafka beside writers of Kafka 0.7: it sees all partitions of a topic, and all that is written."""

import pytest
from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient, NewTopic

from barnabas.records.messages07.message07 import encode_message
from barnabas.testing import EmbeddedBroker
from tests.wires.wire07 import Wire07

pytestmark = pytest.mark.interop

CONFIG = {
    "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
    "listener.dialect.map": "OLD:kafka-0.7",
    "num.partitions": "4",
    "offsets.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
}
VALUES = {b"dog %d" % number for number in range(40)}


def test_what_0_7_writes_anywhere_comes_to_a_group_of_today() -> None:
    with EmbeddedBroker(CONFIG) as broker:
        servers = {"bootstrap.servers": broker.bootstrap_servers}
        admin = AdminClient(servers)
        topic = NewTopic("two", 2, 1, config={"message.format.version": "0.7"})
        admin.create_topics([topic])["two"].result(20)
        with Wire07(broker.port_of("OLD")) as wire:
            for value in VALUES:
                wire.produce("two", -1, encode_message(value))
            assert wire.fetch("two", 2) == (3, b"")
        assert sorted(admin.list_topics("two", 20).topics["two"].partitions) == [0, 1]
        consumer = Consumer({**servers, "group.id": "kennel", "auto.offset.reset": "earliest"})
        consumer.subscribe(["two"])
        found = set()
        for message in consumer.consume(len(VALUES), 20):
            assert message.error() is None
            found.add(message.value())
        consumer.close()
    assert found == VALUES
