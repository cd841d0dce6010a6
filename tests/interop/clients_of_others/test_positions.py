"""Where reading starts: earliest, latest, seek, by timestamp; asked by clients of every age."""

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka import TopicPartition as AioPartition
from confluent_kafka import OFFSET_END, Consumer, KafkaError, KafkaException, TopicPartition
from kafka import KafkaConsumer
from kafka import TopicPartition as PyPartition

from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import Confluent, consumer_settings, take

pytestmark = pytest.mark.interop

COUNT = 500


@pytest.fixture
def topic(broker: InteropBroker) -> str:
    """500 records, one millisecond apart from START_MS, in more than one batch."""
    name = broker.new_topic()
    sent = samples.many(COUNT)
    for part in (sent[:200], sent[200:]):
        Confluent().write(broker.bootstrap_servers, name, part)
    return name


def test_librdkafka_finds_both_ends_and_times(broker: InteropBroker, topic: str) -> None:
    consumer = Consumer(consumer_settings(broker.bootstrap_servers))
    partition = TopicPartition(topic, 0)
    assert consumer.get_watermark_offsets(partition, timeout=30) == (0, COUNT)
    asked = {
        samples.START_MS - 5: 0,
        samples.START_MS + 321: 321,
        samples.START_MS + COUNT: OFFSET_END,
    }
    for timestamp, offset in asked.items():
        (found,) = consumer.offsets_for_times([TopicPartition(topic, 0, timestamp)], timeout=30)
        assert found.offset == offset
    consumer.close()


def test_librdkafka_seeks_back_and_forth(broker: InteropBroker, topic: str) -> None:
    consumer = Consumer(consumer_settings(broker.bootstrap_servers))
    consumer.assign([TopicPartition(topic, 0, 490)])
    assert [each.offset() for each in take(consumer, 10)] == list(range(490, 500))
    consumer.seek(TopicPartition(topic, 0, 199))
    assert [each.offset() for each in take(consumer, 3)] == [199, 200, 201]
    consumer.close()


def test_an_offset_past_the_end_is_an_error_at_once(broker: InteropBroker, topic: str) -> None:
    consumer = Consumer(
        {**consumer_settings(broker.bootstrap_servers), "auto.offset.reset": "error"}
    )
    consumer.assign([TopicPartition(topic, 0, COUNT + 1)])
    with pytest.raises(KafkaException) as raised:
        take(consumer, 1, seconds=30)
    assert raised.value.args[0].code() == KafkaError._AUTO_OFFSET_RESET
    consumer.close()


def test_librdkafka_reports_the_end_and_what_comes_then(broker: InteropBroker, topic: str) -> None:
    settings = {"fetch.wait.max.ms": 5000, "enable.partition.eof": True}
    consumer = Consumer({**consumer_settings(broker.bootstrap_servers), **settings})
    consumer.assign([TopicPartition(topic, 0, OFFSET_END)])
    end = consumer.poll(20)
    assert end is not None
    assert end.error() is not None
    assert end.error().code() == KafkaError._PARTITION_EOF
    Confluent().write(broker.bootstrap_servers, topic, samples.many(1))
    (late,) = take(consumer, 1, seconds=30)
    assert late.offset() == COUNT
    consumer.close()


def test_kafka_python_finds_both_ends_and_times(broker: InteropBroker, topic: str) -> None:
    consumer = KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, group_id=None)
    partition = PyPartition(topic, 0)
    assert consumer.beginning_offsets([partition]) == {partition: 0}
    assert consumer.end_offsets([partition]) == {partition: COUNT}
    found = consumer.offsets_for_times({partition: samples.START_MS + 321})[partition]
    assert (found.offset, found.timestamp) == (321, samples.START_MS + 321)
    assert consumer.offsets_for_times({partition: samples.START_MS + COUNT})[partition] is None
    consumer.close()


def test_aiokafka_finds_both_ends_and_times(broker: InteropBroker, topic: str) -> None:
    async def ask() -> tuple[int, int, int]:
        consumer = AIOKafkaConsumer(bootstrap_servers=broker.bootstrap_servers)
        await consumer.start()
        try:
            partition = AioPartition(topic, 0)
            first = await consumer.beginning_offsets([partition])
            last = await consumer.end_offsets([partition])
            found = await consumer.offsets_for_times({partition: samples.START_MS + 321})
            return first[partition], last[partition], found[partition].offset
        finally:
            await consumer.stop()

    assert asyncio.run(ask()) == (0, COUNT, 321)


def test_committed_offsets_of_a_consumer_that_joins_nothing(
    broker: InteropBroker, topic: str
) -> None:
    group = f"group-of-{topic}"
    settings = {**consumer_settings(broker.bootstrap_servers), "group.id": group}
    consumer = Consumer(settings)
    consumer.assign([TopicPartition(topic, 0, 0)])
    take(consumer, 10)
    consumer.commit(offsets=[TopicPartition(topic, 0, 123)], asynchronous=False)
    consumer.close()
    again = Consumer(settings)
    (committed,) = again.committed([TopicPartition(topic, 0)], timeout=30)
    assert committed.offset == 123
    again.close()
    other = KafkaConsumer(
        bootstrap_servers=broker.bootstrap_servers, group_id=group, enable_auto_commit=False
    )
    assert other.committed(PyPartition(topic, 0)) == 123
    other.close(autocommit=False)
