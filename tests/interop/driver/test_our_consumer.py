"""Our consumer on what others wrote, and what our producer writes in bulk as others read it."""

import pyarrow as pa
import pytest
from confluent_kafka import Consumer as ConfluentConsumer
from confluent_kafka import Producer as ConfluentProducer
from confluent_kafka import TopicPartition

from barnabas import Consumer, Producer
from barnabas.records.columns.record import Record
from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import Confluent, consumer_settings
from tests.interop.clients.ours import samples_of
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.samples import Sample

pytestmark = pytest.mark.interop

SECONDS = 30.0


def reading(address: str, topic: str, **more: object) -> Consumer:
    """A consumer at the beginning of partition 0."""
    consumer = Consumer({"bootstrap.servers": address, "auto.offset.reset": "earliest", **more})
    consumer.assign([(topic, 0)])
    return consumer


def polled(consumer: Consumer, count: int) -> list[Record]:
    found: list[Record] = []
    while len(found) < count:
        records = consumer.poll(SECONDS, 1000)
        assert records, f"{len(found)} of {count} came"
        found += records
    return found


def fetched(consumer: Consumer, count: int) -> pa.Table:
    tables = [consumer.fetch_arrow(SECONDS)]
    while sum(table.num_rows for table in tables) < count:
        assert tables[-1].num_rows, "the records stopped coming"
        tables.append(consumer.fetch_arrow(SECONDS))
    return pa.concat_tables(tables)


def as_sample(record: Record) -> Sample:
    return Sample(record.key, record.value, record.timestamp, tuple(record.headers))


@pytest.mark.parametrize("codec", samples.CODECS)
def test_records_and_arrow_of_every_codec(broker: InteropBroker, codec: str) -> None:
    sent = samples.awkward() + samples.rare() + samples.many(3000)
    topic = broker.new_topic()
    Confluent().write(broker.bootstrap_servers, topic, sent, codec=codec)
    with reading(broker.bootstrap_servers, topic) as consumer:
        records = polled(consumer, len(sent))
        assert [as_sample(record) for record in records] == sent
        assert [record.offset for record in records] == list(range(len(sent)))
        consumer.seek((topic, 0), 7)
        assert samples_of(fetched(consumer, len(sent) - 7)) == sent[7:]


def test_records_larger_than_a_fetch(broker: InteropBroker) -> None:
    sent = samples.large()
    topic = broker.new_topic({"max.message.bytes": "2000000"})
    Confluent().write(broker.bootstrap_servers, topic, sent)
    with reading(broker.bootstrap_servers, topic, max_partition_fetch_bytes=1000) as consumer:
        assert [as_sample(record) for record in polled(consumer, len(sent))] == sent


@pytest.mark.java
def test_only_committed_records_where_asked(real_kafka: RealKafka) -> None:
    topic = InteropBroker(real_kafka).new_topic()
    address = real_kafka.bootstrap_servers
    producer = ConfluentProducer(
        {"bootstrap.servers": address, "transactional.id": f"of-{topic}", "linger.ms": 0}
    )
    producer.init_transactions(SECONDS)
    committed: list[bytes] = []
    for number, keep in enumerate((True, False, True, False, False, True)):
        values = [b"%d %d" % (number, index) for index in range(300)]
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, value, partition=0)
        producer.flush(SECONDS)
        if keep:
            producer.commit_transaction(SECONDS)
            committed += values
        else:
            producer.abort_transaction(SECONDS)
    with reading(address, topic, isolation_level="read_committed") as consumer:
        assert [record.value for record in polled(consumer, 900)] == committed
        assert consumer.poll(0.5) == []
        consumer.seek_to_beginning()
        assert fetched(consumer, 900)["value"].to_pylist() == committed
        end = consumer.end_offsets([(topic, 0)])
        assert consumer.position((topic, 0)) == next(iter(end.values())) == 1806, "a marker each"
    with reading(address, topic) as consumer:
        assert len(polled(consumer, 1800)) == 1800


def test_what_we_commit_another_client_finds(broker: InteropBroker) -> None:
    topic, address = broker.new_topic(), broker.bootstrap_servers
    Confluent().write(address, topic, samples.many(100))
    group = f"group-of-{topic}"
    with reading(address, topic, group_id=group, enable_auto_commit=False) as consumer:
        assert len(consumer.poll(SECONDS, 42)) == 42
        consumer.commit()
    other = ConfluentConsumer({**consumer_settings(address), "group.id": group})
    assert other.committed([TopicPartition(topic, 0)], SECONDS)[0].offset == 42
    other.commit(offsets=[TopicPartition(topic, 0, 77)], asynchronous=False)
    other.close()
    with reading(address, topic, group_id=group, enable_auto_commit=False) as consumer:
        assert consumer.poll(SECONDS, 1)[0].offset == 77


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_a_large_table_arrives_as_it_was(broker: InteropBroker, codec: str) -> None:
    sent = samples.many(200_000, largest=60)
    topic, address = broker.new_topic(), broker.bootstrap_servers
    table = pa.table(
        {
            "key": pa.array([each.key for each in sent], pa.binary()),
            "value": pa.array([each.value for each in sent], pa.binary()),
            "timestamp": pa.array([each.timestamp for each in sent], pa.timestamp("ms")),
        }
    )
    with Producer({"bootstrap.servers": address, "compression.type": codec}) as producer:
        assert producer.send_arrow(topic, table).count == len(sent)
    assert Confluent().read(address, topic, len(sent)) == sent
    with reading(address, topic) as consumer:
        assert samples_of(fetched(consumer, len(sent))) == sent


@pytest.mark.java
def test_nothing_is_lost_or_doubled_when_kafka_is_killed() -> None:
    with RealKafka() as kafka:
        topic, address = InteropBroker(kafka).new_topic(), kafka.bootstrap_servers
        values = [b"%d" % number for number in range(20_000)]
        settings = {"bootstrap.servers": address, "linger.ms": 1, "batch.size": 2000}
        with Producer(settings) as producer:
            sent = [producer.send(topic, value) for value in values[:10_000]]
            sent[200].result(SECONDS)
            kafka.restart()
            sent += [producer.send(topic, value) for value in values[10_000:]]
            producer.flush(4 * SECONDS)
            assert all(each.done() for each in sent)
        with reading(address, topic) as consumer:
            assert [record.value for record in polled(consumer, len(values))] == values
            assert consumer.poll(0.5) == []
