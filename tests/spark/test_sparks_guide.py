"""What Spark's guide to its Kafka source promises, done by that source and by ours, on Kafka and on our broker.

Rows, offsets of batches as checkpoints and progress have them, numbers of tasks and refusals are
compared. `test_beside_sparks_own` has headers, transactions and the refused options. Source: Spark's
"Structured Streaming + Kafka Integration Guide".
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from barnabas.testing import EmbeddedBroker
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.maven import SPARK_CONNECTOR, jars
from tests.interop.peers.missing import PeerMissing, give_up
from tests.spark.running import PATIENCE_S, run_available, to_files
from tests.spark.topics import Given, Topics

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.long, pytest.mark.timeout(600)]

THEIRS, OURS = "kafka", "barnabas"
FORMATS = (THEIRS, OURS)
TIME_MS = 1_700_000_000_000
REFUSALS = (PySparkException, Py4JJavaError)


@pytest.fixture(scope="module", params=["real-kafka", "our-broker"])
def beside(request: pytest.FixtureRequest) -> Iterator[Topics]:
    """It keeps what is old: records say 2023."""
    kept = {"log.retention.ms": "-1"}
    try:
        jars(SPARK_CONNECTOR)
        if request.param == "our-broker":
            with EmbeddedBroker(kept) as ours:
                yield Topics(ours.bootstrap_servers)
        else:
            with RealKafka(properties=kept) as kafka:
                yield Topics(kafka.bootstrap_servers)
    except PeerMissing as missing:
        give_up(missing)


def fill(topics: Topics, prefix: str, *sizes: int) -> str:
    """A topic with so many records in each partition, a millisecond apart, with keys."""
    topics.prefix = prefix
    topic = topics.create(len(sizes))
    append(topics, topic, *sizes)
    return topic


def append(topics: Topics, topic: str, *sizes: int) -> None:
    topics.send(
        topic,
        (
            Given(b"%d of %d" % (at, partition), b"%d" % (at % 7), partition, TIME_MS + at)
            for partition, size in enumerate(sizes)
            for at in range(size)
        ),
    )


def load(spark: SparkSession, kind: str, topics: Topics, options: dict[str, str]) -> DataFrame:
    reader = spark.read.format(kind).option("kafka.bootstrap.servers", topics.servers)
    return reader.options(**options).load()


def rows(frame: DataFrame) -> list[Any]:
    return frame.orderBy("topic", "partition", "offset").collect()


@dataclass
class Run:
    """What one run of a streaming query did."""

    rows: list[Any]
    offsets: list[Any]
    """Of each batch so far, as the checkpoint has them."""
    progress: list[Any]
    """Of each batch that had rows: where it started and ended, what was the newest, how many rows."""


class Stream:
    """The same query by one of the two sources; each run goes on from its checkpoint."""

    def __init__(self, spark: SparkSession, kind: str, topics: Topics, folder: Path) -> None:
        self._spark = spark
        self._kind = kind
        self._topics = topics
        self.folder = folder / kind

    def run(self, options: dict[str, str]) -> Run:
        """Until all that is there was read."""
        query = run_available(to_files(self._frame(options), *self._places()))
        return self._found(query)

    def while_running(self, options: dict[str, str], *steps: Callable[[], None], count: int) -> Run:
        """After each step what is there is read, and at the end so many records."""
        query = to_files(self._frame(options), *self._places()).start()
        deadline = time.monotonic() + PATIENCE_S
        try:
            query.processAllAvailable()
            for step in steps:
                step()
                query.processAllAvailable()
            while sum(each.numInputRows for each in query.recentProgress) < count:
                assert time.monotonic() < deadline, query.lastProgress
                query.awaitTermination(1)
        finally:
            query.stop()
        return self._found(query)

    def _frame(self, options: dict[str, str]) -> DataFrame:
        stream = self._spark.readStream.format(self._kind).options(**options)
        return stream.option("kafka.bootstrap.servers", self._topics.servers).load()

    def _places(self) -> tuple[Path, str]:
        return self.folder / "rows", str(self.folder / "checkpoint")

    def _found(self, query: StreamingQuery) -> Run:
        parts = [pq.read_table(each) for each in (self.folder / "rows").glob("*.parquet")]
        found = [row for part in parts for row in part.to_pylist()]
        found.sort(key=lambda row: (row["topic"], row["partition"], row["offset"]))
        written = sorted(
            (each for each in (self.folder / "checkpoint" / "offsets").iterdir()
             if each.name.isdecimal()),
            key=lambda each: int(each.name),
        )  # fmt: skip
        offsets = [json.loads(each.read_text().splitlines()[-1]) for each in written]
        progress = []
        for each in query.recentProgress:
            (source,) = each.sources
            if each.numInputRows:
                of_batch = [source.startOffset, source.endOffset, source.latestOffset]
                progress.append([*(json.loads(text) if text else None for text in of_batch)])
                progress[-1].append(source.numInputRows)
        return Run(found, offsets, progress)


@pytest.fixture
def streams(spark: SparkSession, beside: Topics, tmp_path: Path) -> dict[str, Stream]:
    return {kind: Stream(spark, kind, beside, tmp_path) for kind in FORMATS}


def same(runs: dict[str, Run], count: int) -> None:
    """Both have read the same rows, so many, in the same batches."""
    assert len(runs[THEIRS].rows) == count
    assert runs[OURS] == runs[THEIRS]


@pytest.mark.parametrize(
    "options",
    [
        {"subscribe": "A,B"},
        {"subscribePattern": "A|B.*"},
        {"assign": '{"A":[1],"B":[0,2]}'},
        {
            "subscribe": "A,B",
            "startingOffsets": '{"A":{"0":3,"1":-2},"B":{"0":-2,"1":0,"2":1}}',
            "endingOffsets": '{"A":{"0":9,"1":-1},"B":{"0":-1,"1":1,"2":-1}}',
        },
        {"subscribePattern": "A.*", "startingOffsets": "earliest", "endingOffsets": "latest"},
        {
            "subscribe": "A",
            "startingTimestamp": f"{TIME_MS + 3}",
            "endingTimestamp": "2000000000000",
        },
        {
            "subscribe": "A",
            "startingTimestamp": "2000000000000",
            "startingOffsetsByTimestampStrategy": "latest",
        },
        {"subscribe": "A,B", "kafka.group.id": "mine"},
        {"subscribe": "A,B", "groupIdPrefix": "mine", "failOnDataLoss": "false"},
        {"subscribe": "A", "fetchOffset.numRetries": "1", "fetchOffset.retryIntervalMs": "5"},
        {"subscribe": "A", "kafkaConsumer.pollTimeoutMs": "60000", "kafka.max.poll.records": "2"},
    ],
    ids=",".join,
)
def test_batches(spark: SparkSession, beside: Topics, options: dict[str, str]) -> None:
    a, b = fill(beside, "a", 10, 20), fill(beside, "b", 1, 2, 3)
    filled = {
        name: value.replace("A", a).replace("B", b) if name[0] in "sae" else value
        for name, value in options.items()
    }
    if "kafka.group.id" in filled:
        # Spark keeps consumers for minutes, by group, topic and partition: those of one broker only.
        filled["kafka.group.id"] += beside.servers
    found = {kind: rows(load(spark, kind, beside, filled)) for kind in FORMATS}
    assert found[OURS] == found[THEIRS]
    assert bool(found[THEIRS]) == ("startingOffsetsByTimestampStrategy" not in options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"minPartitions": "2"},
        {"minPartitions": "7"},
        {"minPartitions": "50"},
        {"maxRecordsPerPartition": "33", "minPartitions": "20"},
    ],
    ids=str,
)
def test_as_many_tasks(spark: SparkSession, beside: Topics, options: dict[str, str]) -> None:
    topic = fill(beside, "tasks", 1, 0, 250, 30)
    made = {}
    for kind in FORMATS:
        frame = load(spark, kind, beside, {"subscribe": topic, **options})
        parts = frame.selectExpr("spark_partition_id() AS task", "partition", "offset").collect()
        made[kind] = sorted((each.partition, each.offset, each.task) for each in parts)
    assert len({task for *_, task in made[THEIRS]}) >= 3
    assert _cuts(made[OURS]) == _cuts(made[THEIRS])


def test_a_limit_of_records_alone_counts_here_and_for_sparks_own_in_streams_only(
    spark: SparkSession, beside: Topics, streams: dict[str, Stream]
) -> None:
    topic = fill(beside, "limit", 250)
    given = {"subscribe": topic, "maxRecordsPerPartition": "100"}
    made = {kind: load(spark, kind, beside, given).rdd.getNumPartitions() for kind in FORMATS}
    assert made == {THEIRS: 1, OURS: 3}
    files = {}
    for kind in FORMATS:
        streams[kind].run({**given, "startingOffsets": "earliest"})
        written = (streams[kind].folder / "rows").glob("*.parquet")
        files[kind] = sorted(pq.read_metadata(each).num_rows for each in written)
    assert files[OURS] == files[THEIRS] == [83, 83, 84]


def _cuts(found: list[Any]) -> set[tuple[int, int, int]]:
    """The ranges of tasks, whatever their order: partition, first and last offset."""
    tasks: dict[tuple[int, int], list[int]] = {}
    for partition, offset, task in found:
        tasks.setdefault((partition, task), []).append(offset)
    return {(partition, min(each), max(each)) for (partition, _), each in tasks.items()}


def test_records_that_are_gone(spark: SparkSession, beside: Topics) -> None:
    topic = fill(beside, "gone", 20)
    beside.delete_before(topic, 5)
    given = {"subscribe": topic, "startingOffsets": f'{{"{topic}":{{"0":2}}}}'}
    for kind in FORMATS:
        with pytest.raises(REFUSALS):
            load(spark, kind, beside, given).collect()
    given["failOnDataLoss"] = "false"
    found = {kind: rows(load(spark, kind, beside, given)) for kind in FORMATS}
    assert found[OURS] == found[THEIRS]
    assert [each.offset for each in found[OURS]] == list(range(5, 20))


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"startingOffsets": "earliest"}, 131),
        ({"startingOffsets": "earliest", "maxOffsetsPerTrigger": "25"}, 131),
        ({"startingOffsets": '{"A":{"0":-2,"1":96,"2":27}}', "maxOffsetsPerTrigger": "2"}, 8),
        ({"startingOffsets": '{"A":{"0":-2,"1":95,"2":4}}', "maxOffsetsPerTrigger": "7"}, 32),
        ({"startingTimestamp": f"{TIME_MS}"}, 131),
        ({"startingOffsetsByTimestamp": f'{{"A":{{"0":{TIME_MS},"1":{TIME_MS + 99},"2":0}}}}'}, 32),
    ],
    ids=["all", "rate", "slow-rate", "offsets", "time", "times"],
)
def test_streams(
    streams: dict[str, Stream], beside: Topics, options: dict[str, str], count: int
) -> None:
    topic = fill(beside, "stream", 1, 100, 30)
    given = {name: value.replace("A", topic) for name, value in options.items()}
    given["subscribe"] = topic
    same({kind: streams[kind].run(given) for kind in FORMATS}, count)
    append(beside, topic, 3, 0, 20)
    same({kind: streams[kind].run(given) for kind in FORMATS}, count + 23)


def test_a_partition_without_records_after_the_time_of_the_start(
    streams: dict[str, Stream], beside: Topics
) -> None:
    """It starts at its end, which Spark's own keeps in a file that no source in Python has."""
    topic = fill(beside, "ended", 1, 100, 30)
    given = {"subscribe": topic, "startingTimestamp": f"{TIME_MS + 20}"}
    given["startingOffsetsByTimestampStrategy"] = "latest"
    runs = {kind: streams[kind].run(given) for kind in FORMATS}
    assert len(runs[THEIRS].rows) == 90
    assert runs[OURS].rows == runs[THEIRS].rows
    start = {topic: {"0": 1, "1": 20, "2": 20}}
    assert runs[OURS].offsets == [start, *runs[THEIRS].offsets]
    append(beside, topic, 3, 0, 20)
    runs = {kind: streams[kind].run(given) for kind in FORMATS}
    assert len(runs[THEIRS].rows) == 113
    assert runs[OURS].rows == runs[THEIRS].rows


def test_new_partitions_and_new_topics_of_a_pattern(
    streams: dict[str, Stream], beside: Topics
) -> None:
    first = fill(beside, "pattern", 5, 6)
    given = {"subscribePattern": f"{first}.*", "startingOffsets": "earliest"}
    same({kind: streams[kind].run(given) for kind in FORMATS}, 11)
    beside.grow(first, 4)
    append(beside, first, 0, 1, 2, 3)
    beside.create(2, name=f"{first}-more")
    append(beside, f"{first}-more", 7)
    same({kind: streams[kind].run(given) for kind in FORMATS}, 24)


def test_assigned_partitions(streams: dict[str, Stream], beside: Topics) -> None:
    topic = fill(beside, "assigned", 5, 6, 7)
    given = {"assign": f'{{"{topic}":[0,2]}}', "startingOffsets": "earliest"}
    same({kind: streams[kind].run(given) for kind in FORMATS}, 12)


@pytest.mark.parametrize("start", ["latest", '{"A":{"0":-1}}'], ids=["latest", "-1"])
def test_what_comes_after_the_start(streams: dict[str, Stream], beside: Topics, start: str) -> None:
    topics = {kind: fill(beside, "later", 5) for kind in FORMATS}
    runs = {}
    for kind, topic in topics.items():
        given = {"subscribe": topic, "startingOffsets": start.replace("A", topic)}
        more = lambda topic=topic: append(beside, topic, 4)  # noqa: E731
        run = streams[kind].while_running(given, more, more, count=8)
        same_name = json.loads(json.dumps(run.offsets).replace(topic, "topic"))
        runs[kind] = [[row["value"] for row in run.rows], same_name, len(run.progress)]
    assert runs[OURS] == runs[THEIRS]
    assert len(runs[OURS][0]) == 8


def test_a_batch_waits_for_enough_records_but_not_longer_than_it_may(
    streams: dict[str, Stream], beside: Topics
) -> None:
    topics = {kind: fill(beside, "enough", 10) for kind in FORMATS}
    sizes = {}
    for kind, topic in topics.items():
        given = {"subscribe": topic, "startingOffsets": "earliest"}
        given |= {"minOffsetsPerTrigger": "10", "maxTriggerDelay": "2s"}
        more = lambda topic=topic: append(beside, topic, 3)  # noqa: E731
        run = streams[kind].while_running(given, more, count=13)
        sizes[kind] = [each[-1] for each in run.progress], len(run.rows)
    assert sizes[OURS] == sizes[THEIRS] == ([10, 3], 13)


def test_records_that_are_gone_before_a_batch(streams: dict[str, Stream], beside: Topics) -> None:
    topic = fill(beside, "lost", 10)
    given = {"subscribe": topic, "startingOffsets": "earliest"}
    same({kind: streams[kind].run(given) for kind in FORMATS}, 10)
    append(beside, topic, 10)
    beside.delete_before(topic, 15)
    for kind in FORMATS:
        with pytest.raises(REFUSALS):
            streams[kind].run(given)
    given["failOnDataLoss"] = "false"
    same({kind: streams[kind].run(given) for kind in FORMATS}, 15)


@pytest.mark.parametrize(
    ("columns", "option"),
    [
        (["concat('t', id % 2) AS topic", "CAST(id AS STRING) AS key", "'x' AS value"], False),
        (["'elsewhere' AS topic", "CAST(CAST(id AS STRING) AS BINARY) AS value"], True),
        (["CAST(id AS STRING) AS value", "CAST(id % 2 AS INT) AS partition", "id"], True),
        (["IF(id % 3 = 0, NULL, 'k') AS key", "IF(id % 2 = 0, NULL, '') AS value"], True),
    ],
    ids=["topic-of-each-row", "the-option-is-stronger", "partition", "nulls"],
)
def test_rows_that_are_written(
    spark: SparkSession,
    beside: Topics,
    tmp_path: Path,
    columns: list[str],
    option: bool,  # noqa: FBT001
) -> None:
    """By a batch, and by a stream."""
    written = {}
    for kind in FORMATS:
        for how in ("batch", "stream"):
            beside.prefix = f"written-{kind}-{how}"
            names = [beside.create(2), beside.create(2)]
            given = [each.replace("concat('t', id % 2)", f"IF(id % 2 = 0, '{names[0]}', '{names[1]}')")
                     for each in columns]  # fmt: skip
            to = {"kafka.bootstrap.servers": beside.servers} | (
                {"topic": names[0]} if option else {}
            )
            if how == "batch":
                frame = spark.range(20).selectExpr(*given)
                frame.write.format(kind).mode("append").options(**to).save()
            else:
                read = {
                    "kafka.bootstrap.servers": beside.servers,
                    "subscribe": fill(beside, "id", 20),
                }
                source = spark.readStream.format(kind).options(startingOffsets="earliest", **read)
                frame = source.load().selectExpr("offset AS id").selectExpr(*given)
                writer = frame.writeStream.format(kind).options(**to)
                run_available(writer.option("checkpointLocation", str(tmp_path / kind)))
            found = [(at, each.key(), each.value()) for at, name in enumerate(names)
                     for each in beside.all_of(name)]  # fmt: skip
            places = [each.partition() for each in beside.all_of(names[0])]
            written[kind, how] = sorted(found, key=str), "partition" in str(columns) and places
    first = written[THEIRS, "batch"]
    assert len(first[0]) == 20
    assert all(each == first for each in written.values())


@pytest.mark.parametrize(
    ("columns", "option"),
    [
        (["'x' AS value"], False),
        (["'x' AS key"], True),
        (["1 AS value"], True),
        (["'x' AS value", "1 AS key"], True),
        (["'x' AS value", "1 AS topic"], False),
        (["'x' AS value", "CAST(NULL AS STRING) AS topic"], False),
        (["'x' AS value", "'one' AS partition"], True),
        (["'x' AS value", "'h' AS headers"], True),
    ],
    ids=lambda each: ",".join(each) if isinstance(each, list) else str(each),
)
def test_rows_that_are_refused(
    spark: SparkSession,
    beside: Topics,
    columns: list[str],
    option: bool,  # noqa: FBT001
) -> None:
    beside.prefix = "refused"
    name = beside.create()
    for kind in FORMATS:
        writer = spark.range(1).selectExpr(*columns).write.format(kind).mode("append")
        writer.option("kafka.bootstrap.servers", beside.servers)
        with pytest.raises(REFUSALS):
            (writer.option("topic", name) if option else writer).save()
    assert beside.all_of(name) == []


@pytest.mark.parametrize("mode", ["append", "complete"])
def test_modes_of_a_stream_that_writes(
    spark: SparkSession, beside: Topics, tmp_path: Path, mode: str
) -> None:
    found = {}
    for kind in FORMATS:
        source, target = fill(beside, "modes", 9, 5), beside.create()
        given = {"subscribe": source, "startingOffsets": "earliest", "maxOffsetsPerTrigger": "7"}
        stream = spark.readStream.format(kind).options(**given)
        frame = stream.option("kafka.bootstrap.servers", beside.servers).load()
        if mode == "complete":
            frame = frame.groupBy("key").count().selectExpr("key", "CAST(count AS STRING) AS value")
        writer = frame.select("key", "value").writeStream.format(kind).outputMode(mode)
        writer.option("kafka.bootstrap.servers", beside.servers).option("topic", target)
        run_available(writer.option("checkpointLocation", str(tmp_path / kind)))
        found[kind] = sorted((each.key(), each.value()) for each in beside.all_of(target))
    assert len(found[THEIRS]) >= 14
    assert found[OURS] == found[THEIRS]
