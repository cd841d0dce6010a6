"""The Spark connector beside Spark's own, default and tuned, in turns in one session.

100 B values with keys of 8 B in 4 partitions. SPARK_BROKER=kafka puts both on real Kafka instead of
our broker.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from confluent_kafka import Producer
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.readwriter import DataFrameReader

from barnabas.spark import session
from benchmarks.peers.brokers import (
    UNBOUNDED,
    BenchKafka,
    BenchOurs,
    Broker,
    create_topic,
    delete_topic,
)
from benchmarks.plan import Plan
from benchmarks.report.result import Result
from benchmarks.spark.stream import batch_milliseconds
from tests.interop.peers.maven import SPARK_CONNECTOR, jars

GROUP = "spark"
PARTITIONS = 4
READ_ROWS = 5_000_000
WRITE_ROWS = 2_000_000
STREAM_SECONDS = 6.0
VALUE = b"v" * 100

# What a user of Spark's own connector finds after a day of tuning.
TUNED_READ = {
    "kafka.max.partition.fetch.bytes": str(8 << 20),
    "kafka.fetch.max.bytes": str(100 << 20),
    "kafka.max.poll.records": "20000",
    "kafka.receive.buffer.bytes": str(1 << 20),
}
TUNED_WRITE = {"kafka.linger.ms": "20", "kafka.batch.size": str(512 << 10), "kafka.acks": "1"}


@dataclass(frozen=True, slots=True)
class Contestant:
    """A format with options, and how to ask it for fewer columns."""

    name: str
    format: str
    options: Mapping[str, str]


OURS = Contestant("ours", "barnabas", {})
DEFAULT = Contestant("Spark's own, default", "kafka", {})
TUNED = Contestant("Spark's own, tuned", "kafka", TUNED_READ)
TUNED_WRITER = Contestant("Spark's own, tuned", "kafka", TUNED_WRITE)

Action = Callable[[Contestant], float]
"""Does it once; returns million rows a second, or milliseconds."""


def measure(plan: Plan) -> list[Result]:
    """The rows of group `spark`."""
    with measured_broker() as broker, measured_session() as spark:
        return Comparison(plan, broker, spark).rows()


@dataclass(slots=True)
class Comparison:
    """One broker, one session, one topic that everybody reads."""

    plan: Plan
    broker: Broker
    spark: SparkSession
    to_write: DataFrame | None = None
    topics: int = 0

    def rows(self) -> list[Result]:
        """Measure all, in turns."""
        self.fill("bench-spark", self._count(READ_ROWS))
        all_columns = self.in_turns(self._read_all, OURS, DEFAULT, TUNED)
        values = self.in_turns(self._read_values, OURS, DEFAULT)
        counts = self.in_turns(self._count_rows, OURS, DEFAULT)
        delete_topic(self.broker, "bench-spark")
        writes = self.in_turns(self._write, OURS, DEFAULT, TUNED_WRITER)
        latencies = self.in_turns(self._stream, OURS, DEFAULT)
        return [
            *_results("batch read, 7 columns, 100 B", all_columns, (2.5, 1.3)),
            *_results("batch read, value only (ours by schema)", values, (3.5,)),
            *_results("count (ours with an offset-only schema)", counts, (None,)),
            *_results("batch write, 100 B", writes, (1.0, None)),
            Result(
                GROUP, "micro-batch p50, 1000 rows/s to noop", "ms",
                tuple(latencies[OURS.name]), tuple(latencies[DEFAULT.name]), DEFAULT.name, 1.4,
            ),
        ]  # fmt: skip

    def _count(self, rows: int) -> int:
        return max(20_000, int(rows * self.plan.scale))

    def in_turns(self, action: Action, *contestants: Contestant) -> dict[str, list[float]]:
        """One round that does not count, then the rounds; each contestant once in each."""
        rates: dict[str, list[float]] = {each.name: [] for each in contestants}
        for each in contestants:
            action(each)
        for _ in range(self.plan.rounds):
            for each in contestants:
                rates[each.name].append(action(each))
                print(action.__name__, each.name, f"{rates[each.name][-1]:.2f}", file=sys.stderr)
        return rates

    def _read_all(self, who: Contestant) -> float:
        return self._timed(self._reader(who).load(), self._count(READ_ROWS))

    def _read_values(self, who: Contestant) -> float:
        reader = self._reader(who)
        if who is OURS:
            return self._timed(reader.schema("value binary").load(), self._count(READ_ROWS))
        return self._timed(reader.load().select("value"), self._count(READ_ROWS))

    def _count_rows(self, who: Contestant) -> float:
        reader = self._reader(who)
        frame = reader.schema("offset long").load() if who is OURS else reader.load()
        start = time.perf_counter()
        found = frame.count()
        seconds = time.perf_counter() - start
        assert found == self._count(READ_ROWS), found
        return found / seconds / 1e6

    def _write(self, who: Contestant) -> float:
        rows = self._count(WRITE_ROWS)
        name = self.new_topic()
        if self.to_write is None:
            self.to_write = self._rows_to_write(rows)
        frame = self.to_write
        start = time.perf_counter()
        writer = frame.write.format(who.format).mode("append").options(**who.options)
        writer.option("kafka.bootstrap.servers", self.broker.bootstrap_servers).option(
            "topic", name
        ).save()
        seconds = time.perf_counter() - start
        reader = self.spark.read.format("barnabas").schema("offset long")
        reader.option("kafka.bootstrap.servers", self.broker.bootstrap_servers)
        written = reader.option("subscribe", name).load().count()
        assert written == rows, f"{who.name} wrote {written} of {rows} rows"
        delete_topic(self.broker, name)
        return rows / seconds / 1e6

    def _stream(self, who: Contestant) -> float:
        name = self.new_topic()
        frame = (
            self.spark.readStream.format(who.format)
            .option("kafka.bootstrap.servers", self.broker.bootstrap_servers)
            .option("subscribe", name)
            .load()
        )
        producer = Producer({"bootstrap.servers": self.broker.bootstrap_servers, "linger.ms": 0})
        seconds = max(2.0, STREAM_SECONDS * self.plan.scale)
        found = batch_milliseconds(frame.writeStream.format("noop"), producer, name, seconds)
        assert producer.flush(30) == 0
        # The topic stays: a task of Spark's own connector that a stopped query leaves behind waits
        # for the offsets of a deleted one for a minute, and holds a core that the next turn needs.
        return found

    def new_topic(self) -> str:
        """An empty topic. Its name is new: a client that lingers may make an old one again."""
        self.topics += 1
        name = f"bench-spark-{self.topics}"
        create_topic(self.broker, name, PARTITIONS, UNBOUNDED)
        return name

    def _rows_to_write(self, rows: int) -> DataFrame:
        frame = self.spark.range(0, rows, 1, PARTITIONS).selectExpr(
            "CAST(LPAD(CAST(id AS STRING), 8, '0') AS BINARY) AS key",
            f"CAST(REPEAT('v', {len(VALUE)}) AS BINARY) AS value",
        )
        frame = frame.cache()
        frame.count()
        return frame

    def _reader(self, who: Contestant) -> DataFrameReader:
        return (
            self.spark.read.format(who.format)
            .option("kafka.bootstrap.servers", self.broker.bootstrap_servers)
            .option("subscribe", "bench-spark")
            .options(**who.options)
        )

    def _timed(self, frame: DataFrame, rows: int) -> float:
        start = time.perf_counter()
        frame.write.format("noop").mode("overwrite").save()
        return rows / (time.perf_counter() - start) / 1e6

    def fill(self, topic: str, rows: int) -> None:
        """Records of an 8 B key and a 100 B value, uncompressed, in batches of about 128 KiB."""
        create_topic(self.broker, topic, PARTITIONS, UNBOUNDED)
        producer = Producer(
            {
                "bootstrap.servers": self.broker.bootstrap_servers,
                "linger.ms": 50,
                "batch.size": 128 << 10,
                "batch.num.messages": 100_000,
                "queue.buffering.max.messages": 1_000_000,
            }
        )
        for number in range(rows):
            while True:
                try:
                    producer.produce(topic, VALUE, b"%08d" % number, number % PARTITIONS)
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(120) == 0


@contextmanager
def measured_broker() -> Iterator[Broker]:
    """Ours, or real Kafka where SPARK_BROKER says so."""
    if os.environ.get("SPARK_BROKER") == "kafka":
        with BenchKafka() as kafka:
            yield kafka
    else:
        with BenchOurs() as ours:
            yield ours


@contextmanager
def measured_session() -> Iterator[SparkSession]:
    """One that has Spark's own connector, too."""
    found = ",".join(str(each) for each in sorted(jars(SPARK_CONNECTOR).glob("*.jar")))
    spark = session(
        "benchmarks",
        master="local[2]",
        fast_checkpoints=True,
        settings={
            "spark.jars": found, "spark.driver.memory": "4g", "spark.log.level": "FATAL",
        },
    )  # fmt: skip
    try:
        yield spark
    finally:
        spark.stop()


def _results(
    measure_name: str,
    rates: Mapping[str, list[float]],
    targets: tuple[float | None, ...],
) -> list[Result]:
    """A row for each of the others; ours is at least `target` times as fast."""
    (_, ours), *others = rates.items()
    return [
        Result(GROUP, measure_name, "M rows/s", tuple(ours), tuple(theirs), who, target, "higher")
        for (who, theirs), target in zip(others, targets, strict=True)
    ]
