"""Spark's own Kafka source and sink beside ours, on real Kafka: same rows, offsets, refusals."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.readwriter import DataFrameReader

from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.maven import SPARK_CONNECTOR, jars
from tests.interop.peers.missing import PeerMissing, give_up
from tests.interop.transactions import write_transactions
from tests.spark.running import numbers_in, run_available, to_files
from tests.spark.topics import Given, Topics

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.timeout(600)]

THEIRS, OURS = "kafka", "barnabas"
FORMATS = (THEIRS, OURS)
TIME_MS = 1_700_000_000_000


@pytest.fixture(scope="module")
def beside() -> Iterator[Topics]:
    """Real Kafka: it has the transactions. It keeps what is old, for the records say 2023."""
    try:
        jars(SPARK_CONNECTOR)
        with RealKafka(properties={"log.retention.ms": "-1"}) as kafka:
            yield Topics(kafka.bootstrap_servers)
    except PeerMissing as missing:
        give_up(missing)


@pytest.fixture(scope="module")
def topic(beside: Topics) -> str:
    """Three partitions: transactions with gaps, odd records after a new start, and plain ones."""
    beside.prefix = "mixed"
    name = beside.create(3)
    outcomes = [("abort", 7), ("commit", 5), ("abort", 300), ("commit", 40), ("abort", 1)]
    write_transactions(beside.servers, name, outcomes)
    headers = [("a", b"1"), ("a", None), ("b", b"")]
    beside.send(
        name,
        [
            Given(b"value", b"key", 1, TIME_MS + 1, headers),
            Given(None, b"deleted", 1, TIME_MS + 2),
            Given(b"", None, 1, TIME_MS + 1),
            Given(None, None, 1, TIME_MS, [("", b"x")]),
            Given("grün".encode(), b"", 1, TIME_MS + 999_999),
        ],
    )
    beside.send(name, (Given(b"%d" % i * 50, b"%d" % i, 2, TIME_MS + i) for i in range(1000)))
    return name


def reader(spark: SparkSession, kind: str, topics: Topics, **options: object) -> DataFrameReader:
    found = spark.read.format(kind).option("kafka.bootstrap.servers", topics.servers)
    return found.options(**options)  # type: ignore[arg-type]


def rows(frame: DataFrame) -> list[Any]:
    return frame.orderBy("topic", "partition", "offset").collect()


@pytest.mark.parametrize("level", ["read_uncommitted", "read_committed"])
def test_a_batch_has_the_same_rows(
    spark: SparkSession, beside: Topics, topic: str, level: str
) -> None:
    options = {"subscribe": topic, "includeHeaders": "true", "kafka.isolation.level": level}
    theirs, ours = (reader(spark, kind, beside, **options).load() for kind in FORMATS)
    assert ours.schema == theirs.schema
    expected = rows(theirs)
    assert len(expected) == (353 if level == "read_uncommitted" else 45) + 5 + 1000
    assert rows(ours) == expected


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        {"startingOffsets": '{"TOPIC":{"0":3,"1":-2,"2":990}}'},
        {"endingOffsets": '{"TOPIC":{"0":-1,"1":2,"2":5}}'},
        {"startingTimestamp": str(TIME_MS + 2), "endingTimestamp": str(TIME_MS + 500)},
        {"startingOffsetsByTimestamp": f'{{"TOPIC":{{"0":0,"1":{TIME_MS},"2":{TIME_MS + 9}}}}}'},
        {"startingTimestamp": str(TIME_MS + 2), "minPartitions": "7"},
        {
            "startingTimestamp": str(TIME_MS + 2),
            "startingOffsetsByTimestamp": f'{{"TOPIC":{{"0":0,"1":{TIME_MS},"2":{TIME_MS + 9}}}}}',
            "startingOffsets": "earliest",
        },
        {
            "endingOffsetsByTimestamp": f'{{"TOPIC":{{"0":0,"1":{TIME_MS},"2":{TIME_MS + 9}}}}}',
            "endingOffsets": "latest",
        },
    ],
    ids=["starting", "ending", "times", "time-each", "more-tasks", "first-start", "first-end"],
)
def test_the_same_part_of_the_topic(
    spark: SparkSession, beside: Topics, topic: str, options: dict[str, str]
) -> None:
    filled = {name: value.replace("TOPIC", topic) for name, value in options.items()}
    theirs, ours = (
        rows(reader(spark, kind, beside, subscribe=topic, **filled).load()) for kind in FORMATS
    )
    assert 0 < len(theirs) < 1358 or "minPartitions" in options
    assert ours == theirs


def test_a_stream_has_the_same_rows_and_goes_on_from_the_same_offsets(
    spark: SparkSession, beside: Topics, topic: str, tmp_path: Path
) -> None:
    ends: dict[str, str] = {}
    found: dict[str, list[Any]] = {}
    for kind in FORMATS:
        stream = spark.readStream.format(kind).option("kafka.bootstrap.servers", beside.servers)
        stream.options(subscribe=topic, startingOffsets="earliest", includeHeaders="true")
        stream.option("maxOffsetsPerTrigger", 400).option("kafka.isolation.level", "read_committed")
        query = run_available(
            to_files(stream.load(), tmp_path / kind, str(tmp_path / f"{kind}-checkpoint"))
        )
        last = query.lastProgress
        assert last is not None
        ends[kind] = last.sources[0].endOffset
        parts = [pq.read_table(each) for each in (tmp_path / kind).glob("*.parquet")]
        found[kind] = sorted(
            (row for part in parts for row in part.to_pylist()),
            key=lambda row: (row["partition"], row["offset"]),
        )
    assert json.loads(ends[OURS]) == json.loads(ends[THEIRS])
    assert len(found[THEIRS]) == 1050
    assert found[OURS] == found[THEIRS]
    for kind, other in ((OURS, THEIRS), (THEIRS, OURS)):
        rest = reader(spark, kind, beside, subscribe=topic, startingOffsets=ends[other])
        assert rest.load().count() == 0


@pytest.mark.parametrize("order", [(THEIRS, OURS), (OURS, THEIRS)], ids=["to-ours", "back"])
def test_a_checkpoint_of_one_is_gone_on_with_by_the_other(
    spark: SparkSession, beside: Topics, tmp_path: Path, order: tuple[str, str]
) -> None:
    """The query is the same but for its format; each reads what the other has not."""
    beside.prefix = "moved"
    topic = beside.create(2)
    beside.send_numbers(topic, range(20), partitions=2)
    for step, kind in enumerate((*order, order[0])):
        stream = spark.readStream.format(kind).option("kafka.bootstrap.servers", beside.servers)
        stream.options(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=15)
        run_available(to_files(stream.load(), tmp_path / "out", str(tmp_path / "checkpoint")))
        assert numbers_in(tmp_path / "out") == list(range(20 + 10 * step))
        start = 20 + 10 * step
        beside.send_numbers(topic, range(start, start + 10), partitions=2)


def test_what_each_writes_both_read_alike(spark: SparkSession, beside: Topics) -> None:
    """Rows choose their partition by key, or say it; keys hash as Kafka's own producer does."""
    frame = spark.sql(
        "SELECT CAST(id AS STRING) key, CAST(IF(id % 7 = 0, NULL, id * id) AS STRING) value,"
        " IF(id % 5 = 0, CAST(id % 3 AS INT), NULL) partition,"
        " IF(id % 2 = 0, array(named_struct('key', 'h', 'value', CAST('x' AS BINARY))), NULL)"
        " headers FROM range(0, 500, 1, 1)"
    )
    beside.prefix = "written"
    read: dict[tuple[str, str], list[Any]] = {}
    for writing in FORMATS:
        name = beside.create(3)
        writer = frame.write.format(writing).mode("append")
        writer.option("kafka.bootstrap.servers", beside.servers).option("topic", name)
        writer.option("includeHeaders", "true").save()
        for reading in FORMATS:
            back = reader(spark, reading, beside, subscribe=name, includeHeaders="true").load()
            wanted = ["partition", "offset", "key", "value", "headers"]
            read[writing, reading] = back.select(*wanted).orderBy(*wanted[:2]).collect()
    first = read[THEIRS, THEIRS]
    assert len(first) == 500
    assert all(each == first for each in read.values())


def test_each_refuses_a_negative_partition(spark: SparkSession, beside: Topics) -> None:
    beside.prefix = "negative"
    for writing in FORMATS:
        name = beside.create(1)
        frame = spark.sql("SELECT 'x' value, -1 partition")
        writer = frame.write.format(writing).mode("append")
        writer.option("kafka.bootstrap.servers", beside.servers).option("topic", name)
        with pytest.raises((PySparkException, Py4JJavaError), match="partition:? -1"):
            writer.save()
        assert beside.end(name, 0) == 0


@pytest.mark.parametrize(
    ("how", "options"),
    [
        ("read", {}),
        ("read", {"subscribe": "TOPIC", "assign": '{"TOPIC":[0]}'}),
        ("read", {"subscribe": " "}),
        ("read", {"assign": "TOPIC"}),
        ("read", {"subscribe": "TOPIC", "startingOffsets": "latest"}),
        ("read", {"subscribe": "TOPIC", "endingOffsets": "earliest"}),
        ("read", {"subscribe": "TOPIC", "startingOffsets": '{"TOPIC":{"0":1}}'}),
        ("read", {"subscribe": "TOPIC", "startingOffsets": "TOPIC"}),
        ("read", {"subscribe": "TOPIC", "startingOffsets": '{"TOPIC":{"0":-1,"1":0,"2":0}}'}),
        ("read", {"subscribe": "TOPIC", "startingTimestamp": str(TIME_MS * 3)}),
        ("read", {"subscribe": "TOPIC", "minPartitions": "0"}),
        ("read", {"subscribe": "TOPIC", "failOnDataLoss": "yes"}),
        ("read", {"subscribe": "TOPIC", "kafka.auto.offset.reset": "latest"}),
        ("read", {"subscribe": "TOPIC", "kafka.key.deserializer": "x"}),
        ("read", {"subscribe": "TOPIC", "kafka.enable.auto.commit": "true"}),
        ("read", {"subscribe": "TOPIC", "kafka.interceptor.classes": "x"}),
        ("stream", {"subscribe": "TOPIC", "endingOffsets": "latest"}),
        ("stream", {"subscribe": "TOPIC", "maxOffsetsPerTrigger": "many"}),
        ("stream", {"subscribe": "TOPIC", "startingOffsets": '{"TOPIC":{"0":1}}'}),
        ("write", {}),
        ("write", {"topic": "TOPIC", "kafka.key.serializer": "x"}),
    ],
    ids=str,
)
def test_both_refuse_the_same_options(
    spark: SparkSession,
    beside: Topics,
    topic: str,
    tmp_path: Path,
    how: str,
    options: dict[str, str],
) -> None:
    filled = {name: value.replace("TOPIC", topic) for name, value in options.items()}
    filled["kafka.bootstrap.servers"] = beside.servers

    def read(kind: str) -> None:
        spark.read.format(kind).options(**filled).load().collect()

    def stream(kind: str) -> None:
        frame = spark.readStream.format(kind).options(**filled).load()
        run_available(to_files(frame, tmp_path / "out", str(tmp_path / kind)))

    def write(kind: str) -> None:
        frame = spark.range(1).selectExpr("'x' AS value")
        frame.write.format(kind).mode("append").options(**filled).save()

    actions: dict[str, Callable[[str], None]] = {"read": read, "stream": stream, "write": write}
    for kind in FORMATS:
        with pytest.raises((PySparkException, Py4JJavaError)):
            actions[how](kind)
