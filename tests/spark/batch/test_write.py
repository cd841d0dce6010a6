"""df.write and df.writeStream: columns, types, topics, round trips, refusals."""

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from tests.spark.running import run_available
from tests.spark.topics import Given, Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def save(frame: DataFrame, topics: Topics, **options: str) -> None:
    """Write as a user would."""
    writer = frame.write.format("barnabas").option("kafka.bootstrap.servers", topics.servers)
    writer.options(**options).mode("append").save()


@pytest.mark.long
def test_strings_bytes_nulls_headers_and_partitions(spark: SparkSession, topics: Topics) -> None:
    topic = topics.create(3)
    frame = spark.createDataFrame(
        [
            ("k", bytearray(b"v"), [("h", bytearray(b"1")), ("h", None)], 2),
            (None, bytearray(b""), None, 1),
            ("", None, [], 0),
        ],
        "key string, value binary, headers array<struct<key:string,value:binary>>, partition int",
    )
    save(frame, topics, topic=topic)
    found = [(m.partition(), m.key(), m.value(), m.headers()) for m in topics.all_of(topic)]
    assert found == [
        (0, b"", None, None),
        (1, None, b"", None),
        (2, b"k", b"v", [("h", b"1"), ("h", None)]),
    ]


@pytest.mark.long
def test_keys_go_where_kafkas_own_partitioner_sends_them(
    spark: SparkSession, topics: Topics
) -> None:
    from confluent_kafka import Producer

    ours, theirs = topics.create(5), topics.create(5)
    save(spark.range(200).selectExpr("CAST(id AS STRING) key", "'x' value"), topics, topic=ours)
    producer = Producer({"bootstrap.servers": topics.servers, "partitioner": "murmur2_random"})
    for number in range(200):
        producer.produce(theirs, b"x", b"%d" % number)
    assert producer.flush(20) == 0
    places = [{m.key(): m.partition() for m in topics.all_of(each)} for each in (ours, theirs)]
    assert places[0] == places[1]
    assert len(places[0]) == 200


@pytest.mark.long
def test_rows_choose_their_topic(spark: SparkSession, topics: Topics) -> None:
    even, odd = topics.create(), topics.create()
    which = f.when(f.col("id") % 2 == 0, even).otherwise(odd)
    frame = spark.range(100).select(which.alias("topic"), f.expr("CAST(id AS STRING) AS value"))
    save(frame, topics)
    assert sorted(int(m.value()) for m in topics.all_of(odd)) == list(range(1, 100, 2))
    save(frame, topics, topic=even)
    assert len(topics.all_of(even)) == 150


def test_what_was_read_can_be_written(spark: SparkSession, topics: Topics) -> None:
    source, target = topics.create(2), topics.create(2)
    headers = [("h", b"x")]
    topics.send(
        source, [Given(b"%d" % i, b"k%d" % i, i % 2, 1000 + i, headers) for i in range(500)]
    )
    save(topics.batch(spark, source, includeHeaders=True), topics, topic=target)
    columns = ["key", "value", "partition", "offset", "timestamp", "headers"]

    def rows(topic: str) -> list[object]:
        frame = topics.batch(spark, topic, includeHeaders=True)
        return list(frame.orderBy("partition", "offset").select(columns).collect())

    assert rows(target) == rows(source)


@pytest.mark.long
def test_many_rows_arrive_once(spark: SparkSession, topics: Topics) -> None:
    topic = topics.create(4)
    rows = spark.range(300_000).selectExpr("CAST(id AS STRING) key", "CAST(id AS STRING) value")
    save(rows, topics, topic=topic, **{"kafka.compression.type": "zstd"})
    frame = topics.reader(spark, topic).schema("value string").load()
    total = frame.agg(f.count("*"), f.countDistinct("value"), f.sum("value")).first()
    assert total == (300_000, 300_000, sum(range(300_000)))


@pytest.mark.long
def test_a_stream_ends_in_a_topic(spark: SparkSession, topics: Topics, checkpoint: str) -> None:
    source, target = topics.create(2), topics.create(1)
    topics.send_numbers(source, range(50), partitions=2)
    doubled = (
        topics.stream(spark, source, startingOffsets="earliest", maxOffsetsPerTrigger=20)
        .schema("value string")
        .load()
        .selectExpr("CAST(2 * CAST(value AS INT) AS STRING) AS value")
    )
    writer = (
        doubled.writeStream.format("barnabas")
        .option("kafka.bootstrap.servers", topics.servers)
        .option("topic", target)
        .option("checkpointLocation", checkpoint)
    )
    run_available(writer)
    topics.send_numbers(source, range(50, 60), partitions=2)
    run_available(writer)
    assert sorted(int(m.value()) for m in topics.all_of(target)) == list(range(0, 120, 2))


@pytest.mark.long
def test_a_count_by_key_is_written_in_complete_mode(
    spark: SparkSession, topics: Topics, checkpoint: str
) -> None:
    source, target = topics.create(), topics.create()
    topics.send_numbers(source, [1, 2, 2, 3, 3, 3])
    counts = (
        topics.stream(spark, source, startingOffsets="earliest")
        .load()
        .groupBy("value")
        .count()
        .selectExpr("value AS key", "CAST(count AS STRING) AS value")
    )
    writer = counts.writeStream.format("barnabas").outputMode("complete")
    writer.option("kafka.bootstrap.servers", topics.servers).option("topic", target)
    run_available(writer.option("checkpointLocation", checkpoint))
    last = {m.key(): m.value() for m in topics.all_of(target)}
    assert last == {b"1": b"1", b"2": b"2", b"3": b"3"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("select", "options", "says"),
    [
        ("CAST(NULL AS STRING) topic, 'v' value", {}, "BARNABAS_WRITE.*null topic"),
        ("'v' value", {"topic": "a b"}, "BARNABAS_WRITE.*INVALID_TOPIC_EXCEPTION"),
        ("'v' value", {}, "BARNABAS_SCHEMA.*set option 'topic'"),
        ("id AS value", {"topic": "x"}, "BARNABAS_SCHEMA.*value is bigint"),
        ("'v' value", {"topic": "x", "subscribe": "y"}, "BARNABAS_OPTION.*'subscribe'"),
        ("'v' value, 99 partition", {"topic": ""}, "BARNABAS_OPTION.*'topic'"),
    ],
)
def test_what_cannot_be_written_is_refused(
    spark: SparkSession, topics: Topics, select: str, options: dict[str, str], says: str
) -> None:
    frame = spark.range(3).selectExpr(*select.split(", "))
    with pytest.raises(PySparkException, match=says):
        save(frame, topics, **options)


@pytest.mark.long
def test_a_partition_that_is_not_there_fails_the_write(spark: SparkSession, topics: Topics) -> None:
    frame = spark.range(1).selectExpr("'v' value", "7 partition")
    with pytest.raises(PySparkException, match="7"):
        save(frame, topics, topic=topics.create(), **{"kafka.max.block.ms": "2000"})


@pytest.mark.long
def test_modes_other_than_append_are_refused(
    spark: SparkSession, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create()
    writer = spark.range(1).selectExpr("'v' value").write.format("barnabas")
    writer.option("kafka.bootstrap.servers", topics.servers).option("topic", topic)
    with pytest.raises(PySparkException, match=r"BARNABAS_WRITE.*mode\('append'\)"):
        writer.mode("overwrite").save()
    with pytest.raises(PySparkException, match="UNSUPPORTED_DATA_SOURCE_SAVE_MODE"):
        writer.mode("errorifexists").save()
    assert topics.all_of(topic) == []
