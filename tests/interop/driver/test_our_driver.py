"""Our Consumer and Producer, plain and asyncio, beside confluent-kafka on both brokers."""

import pytest
from confluent_kafka import Consumer, TopicPartition

from barnabas import BrokerError
from tests.interop import samples
from tests.interop.brokers import InteropBroker
from tests.interop.clients.confluent import Confluent, consumer_settings
from tests.interop.clients.driver import FORMS, Driver, fetch, poll, sample_of, table_of
from tests.interop.clients.ours import samples_of
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.stored_log import stored_batches
from tests.interop.transactions import write_transactions

pytestmark = pytest.mark.interop

COUNT = 500


@pytest.fixture(params=FORMS)
def driver(broker: InteropBroker, request: pytest.FixtureRequest) -> Driver:
    return Driver(request.param, broker.bootstrap_servers)


@pytest.fixture
def topic(broker: InteropBroker) -> str:
    """Two partitions; in the first 500 records, one millisecond apart from START_MS."""
    name = broker.new_topic(partitions=2)
    sent = samples.many(COUNT)
    for part in (sent[:200], sent[200:]):
        Confluent().write(broker.bootstrap_servers, name, part)
    return name


@pytest.mark.parametrize("codec", samples.CODECS)
def test_reads_what_librdkafka_wrote(broker: InteropBroker, driver: Driver, codec: str) -> None:
    sent = samples.awkward() + samples.rare() + samples.many(800)
    topic = broker.new_topic()
    for start in range(0, len(sent), 300):
        Confluent().write(driver.address, topic, sent[start : start + 300], codec=codec)
    with driver.consumer(max_partition_fetch_bytes=10_000) as consumer:
        consumer.assign([(topic, 0)])
        records = poll(consumer, len(sent))
        assert [record.offset for record in records] == list(range(len(sent)))
        assert {(record.topic, record.partition) for record in records} == {(topic, 0)}
        assert [sample_of(record) for record in records] == sent
        consumer.seek_to_beginning()
        table = fetch(consumer, len(sent))
        assert table["offset"].to_pylist() == list(range(len(sent)))
        assert set(table["topic"].to_pylist()) == {topic}
        assert samples_of(table.drop(["topic"])) == sent


@pytest.mark.parametrize("codec", samples.CODECS)
def test_writes_what_librdkafka_reads(broker: InteropBroker, driver: Driver, codec: str) -> None:
    sent = samples.awkward() + samples.rare() + samples.many(800)
    one_by_one, in_bulk = broker.new_topic(), broker.new_topic()
    with driver.producer(compression_type=codec, linger_ms=5000) as producer:
        deliveries = [
            producer.send(
                one_by_one, each.value, each.key, partition=0, timestamp_ms=each.timestamp,
                headers=each.headers,
            )
            for each in sent
        ]  # fmt: skip
        producer.flush(30)
        stored_at = [driver.result(producer, each).offset for each in deliveries]
        assert stored_at == list(range(len(sent)))
        producer.send_arrow(in_bulk, table_of(sent), partition=0)
        producer.flush(30)
    for topic in (one_by_one, in_bulk):
        assert Confluent().read(driver.address, topic, len(sent)) == sent
        codecs = {batch.codec for batch in stored_batches(broker.data_dir, topic)}
        assert codecs == {samples.CODECS[codec]}


def test_megabytes_go_both_ways(broker: InteropBroker, driver: Driver) -> None:
    topic = broker.new_topic({"max.message.bytes": "2000000"})
    sent = samples.large()
    with driver.producer(max_request_size=3_000_000) as producer:
        for each in sent[:2]:
            producer.send(topic, each.value, each.key, timestamp_ms=each.timestamp)
        producer.send_arrow(topic, table_of(sent[2:]))
        producer.flush(30)
    assert Confluent().read(driver.address, topic, len(sent)) == sent
    with driver.consumer(max_partition_fetch_bytes=1000) as consumer:
        consumer.assign([(topic, 0)])
        assert [sample_of(record) for record in poll(consumer, len(sent))] == sent


def test_keys_choose_the_partition_that_java_would(broker: InteropBroker, driver: Driver) -> None:
    one_by_one, in_bulk = broker.new_topic(partitions=5), broker.new_topic(partitions=5)
    sent = [samples.Sample(b"key-%d" % n, b"%d" % n, samples.START_MS) for n in range(100)]
    with driver.producer() as producer:
        for each in sent:
            producer.send(one_by_one, each.value, each.key, timestamp_ms=each.timestamp)
        producer.send_arrow(in_bulk, table_of(sent))
        producer.flush(30)
    found = []
    with driver.consumer() as consumer:
        for topic in (one_by_one, in_bulk):
            consumer.assign(consumer.partitions_for(topic))
            found.append({record.key: record.partition for record in poll(consumer, len(sent))})
    assert found[0] == found[1]
    assert set(found[0].values()) == set(range(5))


def test_positions_move_as_requested(driver: Driver, topic: str) -> None:
    with driver.consumer() as consumer:
        consumer.assign([(topic, 0), (topic, 1)])
        assert consumer.position((topic, 1)) == 0
        for offset in (490, 199, 0):
            consumer.seek((topic, 0), offset)
            assert consumer.position((topic, 0)) == offset
            assert poll(consumer, 1)[0].offset == offset
        consumer.seek_to_end((topic, 0))
        assert consumer.position((topic, 0)) == COUNT
        Confluent().write(driver.address, topic, samples.many(1))
        assert [record.offset for record in poll(consumer, 1)] == [COUNT]
        consumer.seek_to_beginning((topic, 0))
        assert fetch(consumer, 1)["offset"][0].as_py() == 0


def test_offsets_by_time_and_at_both_ends(driver: Driver, topic: str) -> None:
    with driver.consumer() as consumer:
        ends = [(topic, 0), (topic, 1)]
        assert list(consumer.beginning_offsets(ends).values()) == [0, 0]
        assert list(consumer.end_offsets(ends).values()) == [COUNT, 0]
        for timestamp, offset in ((samples.START_MS - 5, 0), (samples.START_MS + 321, 321)):
            (found,) = consumer.offsets_for_times({(topic, 0): timestamp}).values()
            assert (found.offset, found.timestamp) == (offset, samples.START_MS + offset)
        late = {(topic, 0): samples.START_MS + COUNT, (topic, 1): 0}
        assert list(consumer.offsets_for_times(late).values()) == [None, None]


def test_paused_partitions_give_nothing(driver: Driver, topic: str) -> None:
    with driver.producer() as producer:
        producer.send(topic, b"other", partition=1)
        producer.flush(30)
    with driver.consumer() as consumer:
        consumer.assign([(topic, 0), (topic, 1)])
        consumer.pause((topic, 0))
        assert [record.partition for record in poll(consumer, 1)] == [1]
        assert consumer.poll(0.2) == []
        consumer.resume((topic, 0))
        assert [record.offset for record in poll(consumer, COUNT)] == list(range(COUNT))


def test_committed_offsets_are_everybodys(driver: Driver, topic: str) -> None:
    group = f"group-of-{topic}-{driver.form}"
    where = (topic, 0)
    with driver.consumer(group_id=group, enable_auto_commit=False) as consumer:
        assert consumer.committed([where]) == {}
        consumer.assign([where])
        consumer.commit({where: 123})
    theirs = Consumer({**consumer_settings(driver.address), "group.id": group})
    (committed,) = theirs.committed([TopicPartition(*where)], timeout=30)
    assert committed.offset == 123
    theirs.commit(offsets=[TopicPartition(*where, 321)], asynchronous=False)
    theirs.close()
    with driver.consumer(group_id=group) as again:
        again.assign([where])
        assert poll(again, 1)[0].offset == 321
        assert list(again.committed([where]).values()) == [321]


@pytest.mark.parametrize(("policy", "offset"), [("earliest", 0), ("latest", COUNT)])
def test_a_position_that_is_gone_is_reset(
    driver: Driver, topic: str, policy: str, offset: int
) -> None:
    with driver.consumer(auto_offset_reset=policy) as consumer:
        consumer.assign([(topic, 0)])
        consumer.seek((topic, 0), 10 * COUNT)
        if policy == "earliest":
            assert poll(consumer, 1)[0].offset == offset
        else:
            for _ in range(100):
                assert consumer.poll(0.2) == []
                if consumer.position((topic, 0)) == offset:
                    break
            assert consumer.position((topic, 0)) == offset


def test_a_position_that_is_gone_is_an_error_where_configured(driver: Driver, topic: str) -> None:
    with driver.consumer(auto_offset_reset="none") as consumer:
        consumer.assign([(topic, 0)])
        consumer.seek((topic, 0), 10 * COUNT)
        with pytest.raises(BrokerError, match=r"auto\.offset\.reset is none"):
            consumer.poll(20)


@pytest.mark.java
@pytest.mark.parametrize("form", FORMS)
def test_aborted_records_are_left_out_where_asked(real_kafka: RealKafka, form: str) -> None:
    driver = Driver(form, real_kafka.bootstrap_servers)
    topic = InteropBroker(real_kafka).new_topic()
    outcomes = [("commit", 100), ("abort", 70), ("commit", 30), ("abort", 1), ("commit", 5)]
    written, committed = write_transactions(driver.address, topic, outcomes)
    with driver.consumer(max_partition_fetch_bytes=500) as everything:
        everything.assign([(topic, 0)])
        assert [record.value for record in poll(everything, len(written))] == written
    with driver.consumer(isolation_level="read_committed") as only:
        only.assign([(topic, 0)])
        assert [record.value for record in poll(only, len(committed))] == committed
        only.seek((topic, 0), 120)  # in the middle of the aborted transaction
        assert fetch(only, 35)["value"].to_pylist() == committed[100:]
        assert only.poll(0.2) == []
        assert only.position((topic, 0)) == len(written) + len(outcomes)
