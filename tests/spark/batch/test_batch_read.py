"""spark.read: columns, options, projection, edge cases."""

import json
from datetime import UTC, datetime

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from tests.spark.topics import Given, Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def test_all_columns_with_nulls_and_empty_bytes_kept_apart(
    spark: SparkSession, topics: Topics
) -> None:
    topic = topics.create(2)
    headers = [("a", b"1"), ("a", None), ("b", b"")]
    topics.send(
        topic,
        [
            Given(b"value", b"key", 0, 1_700_000_000_123, headers),
            Given(None, b"", 0, 1_700_000_000_124),
            Given(b"", None, 1, 1_700_000_000_125),
        ],
    )
    frame = topics.batch(spark, topic, includeHeaders=True)
    assert frame.columns == [
        "key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers",
    ]  # fmt: skip
    rows = frame.orderBy("partition", "offset").collect()
    assert [(r.key, r.value, r.partition, r.offset) for r in rows] == [
        (b"key", b"value", 0, 0), (b"", None, 0, 1), (None, b"", 1, 0),
    ]  # fmt: skip
    assert {r.topic for r in rows} == {topic}
    assert {r.timestampType for r in rows} == {0}
    assert [(h.key, h.value) for h in rows[0].headers] == headers
    assert not rows[1].headers
    millis = frame.selectExpr("unix_millis(timestamp) AS ms", "offset", "partition").collect()
    assert sorted(r.ms for r in millis) == [1_700_000_000_123 + i for i in range(3)]


@pytest.mark.long
def test_timestamps_are_instants_across_a_change_of_clocks(
    spark: SparkSession, topics: Topics
) -> None:
    """New York, 3 November 2013: 1:30 came twice, first as UTC-4, then as UTC-5."""
    topic = topics.create()
    instants = [datetime(2013, 11, 3, 5, 30, tzinfo=UTC), datetime(2013, 11, 3, 6, 30, tzinfo=UTC)]
    topics.send(topic, [Given(timestamp_ms=int(each.timestamp() * 1000)) for each in instants])
    shown = f.date_format("timestamp", "yyyy-MM-dd HH:mm ZZZZZ").alias("shown")
    rows = topics.batch(spark, topic).orderBy("offset").select(shown).collect()
    assert [row.shown for row in rows] == ["2013-11-03 01:30 -04:00", "2013-11-03 01:30 -05:00"]


@pytest.mark.long
@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_every_codec(spark: SparkSession, topics: Topics, codec: str) -> None:
    from confluent_kafka import Producer

    topic = topics.create()
    producer = Producer({"bootstrap.servers": topics.servers, "compression.type": codec})
    for number in range(2000):
        producer.produce(topic, b"%d" % number, partition=0)
    assert producer.flush(20) == 0
    total = topics.batch(spark, topic).select(f.sum(f.expr("CAST(value AS STRING)")))
    assert total.first() == (sum(range(2000)),)


@pytest.mark.long
def test_an_empty_topic_and_a_pattern_without_topics_have_no_rows(
    spark: SparkSession, topics: Topics
) -> None:
    assert topics.batch(spark, topics.create(3)).count() == 0
    reader = spark.read.format("barnabas").option("kafka.bootstrap.servers", topics.servers)
    assert reader.option("subscribePattern", "nothing-is-called-.*").load().count() == 0


@pytest.mark.long
def test_a_schema_is_a_projection(spark: SparkSession, topics: Topics) -> None:
    topic = topics.create(2)
    topics.send_numbers(topic, range(100), partitions=2)
    text = topics.reader(spark, topic).schema("value string, partition int").load()
    assert text.columns == ["value", "partition"]
    assert text.select(f.sum("value")).first() == (4950.0,)
    assert topics.reader(spark, topic).schema("offset long").load().count() == 100
    assert topics.reader(spark, topic).schema("partition int").load().count() == 100
    columns = topics.batch(spark, topic, columns="offset, value")
    assert columns.columns == ["offset", "value"]
    assert columns.count() == 100


@pytest.mark.long
def test_ranges_are_cut_into_tasks_and_batches(spark: SparkSession, topics: Topics) -> None:
    topic = topics.create(2)
    topics.send_numbers(topic, range(1000), partitions=2)
    options = {"minPartitions": 5, "batchRows": 7, "fetchBytes": 1024}
    frame = topics.reader(spark, topic, **options).schema("value string").load()
    assert frame.rdd.getNumPartitions() in (5, 6)
    assert sorted(int(row.value) for row in frame.collect()) == list(range(1000))
    pieces = topics.batch(spark, topic, maxRecordsPerPartition=300)
    assert pieces.rdd.getNumPartitions() == 4
    assert pieces.count() == 1000


@pytest.mark.long
def test_offsets_timestamps_and_assignment(spark: SparkSession, topics: Topics) -> None:
    topic = topics.create(2)
    topics.send(topic, [Given(b"%d" % i, None, 0, 1000 + i) for i in range(10)])
    topics.send(topic, [Given(b"%d" % i, None, 1, 2000 + i) for i in range(10)])

    def read(**options: object) -> list[tuple[int, int]]:
        rows = topics.batch(spark, topic, **options).select("partition", "offset").collect()
        return sorted((row.partition, row.offset) for row in rows)

    given = read(
        startingOffsets=json.dumps({topic: {"0": 8, "1": -2}}),
        endingOffsets=json.dumps({topic: {"0": -1, "1": 2}}),
    )
    assert given == [(0, 8), (0, 9), (1, 0), (1, 1)]
    times = {
        "startingOffsetsByTimestamp": json.dumps({topic: {"0": 1009, "1": 2008}}),
        "endingTimestamp": 2009,
    }
    assert read(**times) == [(0, 9), (1, 8)]
    latest = {"startingTimestamp": 1500, "startingOffsetsByTimestampStrategy": "latest"}
    assert [each for each in read(**latest) if each[0] == 0] == []
    assert len(read(**latest)) == 10

    def selected(**options: str) -> int:
        reader = spark.read.format("barnabas").option("kafka.bootstrap.servers", topics.servers)
        return reader.options(**options).load().count()

    assert selected(assign=json.dumps({topic: [1]})) == 10
    assert selected(subscribePattern=f"{topic[:-1]}[{topic[-1]}]") == 20


def test_mistakes_come_back_with_their_code(spark: SparkSession, topics: Topics) -> None:
    topic = topics.create()
    with pytest.raises(PySparkException, match="BARNABAS_OPTION.*'startingOffsets'"):
        topics.batch(spark, topic, startingOffsets="latest").count()
    with pytest.raises(PySparkException, match="BARNABAS_OPTION.*did you mean 'failOnDataLoss'"):
        topics.batch(spark, topic, failOnDataLos="true")
    with pytest.raises(PySparkException, match="BARNABAS_NO_TOPIC.*no-such-topic"):
        topics.batch(spark, "no-such-topic").count()
    with pytest.raises(PySparkException, match="BARNABAS_SCHEMA.*no column payload"):
        topics.reader(spark, topic).schema("payload binary").load().count()


@pytest.mark.long
def test_records_that_are_gone_are_data_loss_or_left_out(
    spark: SparkSession, topics: Topics
) -> None:
    topic = topics.create()
    topics.send_numbers(topic, range(10))
    past_the_end = {"endingOffsets": json.dumps({topic: {"0": 12}})}
    with pytest.raises(PySparkException, match="BARNABAS_DATA_LOSS"):
        topics.batch(spark, topic, **past_the_end).count()
    assert topics.batch(spark, topic, failOnDataLoss="false", **past_the_end).count() == 10


@pytest.mark.long
def test_records_that_go_between_plan_and_scan(spark: SparkSession, topics: Topics) -> None:
    topic = topics.create()
    topics.send_numbers(topic, range(10))
    strict = topics.batch(spark, topic)
    lenient = topics.batch(spark, topic, failOnDataLoss="false")
    assert (strict.count(), lenient.count()) == (10, 10)
    topics.delete_before(topic, 4)
    with pytest.raises(PySparkException, match="BARNABAS_DATA_LOSS"):
        strict.count()
    assert sorted(row.offset for row in lenient.collect()) == list(range(4, 10))
