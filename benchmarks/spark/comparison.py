"""What comparisons in Spark share: one broker, one session, the contestants, topics, and turns.

SPARK_BROKER=kafka puts all on real Kafka instead of our broker.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

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
from tests.interop.peers.maven import SPARK_CONNECTOR, jars

PARTITIONS = 4
READ_ROWS = 5_000_000
VALUE = b"v" * 100

# What a user of Spark's own connector finds after a day of tuning.
TUNED_READ = {
    "kafka.max.partition.fetch.bytes": str(8 << 20),
    "kafka.fetch.max.bytes": str(100 << 20),
    "kafka.max.poll.records": "20000",
    "kafka.receive.buffer.bytes": str(1 << 20),
}


@dataclass(frozen=True, slots=True)
class Contestant:
    """A format with options, and how to ask it for fewer columns."""

    name: str
    format: str
    options: Mapping[str, str] = field(default_factory=dict)


OURS = Contestant("ours", "barnabas")
DEFAULT = Contestant("Spark's own, default", "kafka")
TUNED = Contestant("Spark's own, tuned", "kafka", TUNED_READ)

Action = Callable[[Contestant], float]
"""Does it once; returns million rows a second, or milliseconds."""

Rates = Mapping[str, list[float]]
"""What each contestant was measured with, by its name."""


@dataclass(slots=True)
class Comparison:
    """One broker and one session, in which contestants take turns."""

    plan: Plan
    broker: Broker
    spark: SparkSession
    topics: int = 0

    def count(self, rows: int) -> int:
        """How many rows in a run of this size."""
        return max(20_000, int(rows * self.plan.scale))

    def in_turns(self, action: Action, *contestants: Contestant) -> Rates:
        """One round that does not count, then the rounds; each contestant once in each."""
        rates: dict[str, list[float]] = {each.name: [] for each in contestants}
        for each in contestants:
            action(each)
        for _ in range(self.plan.rounds):
            for each in contestants:
                rates[each.name].append(action(each))
                print(action.__name__, each.name, f"{rates[each.name][-1]:.2f}", file=sys.stderr)
        return rates

    def reader(self, who: Contestant, topic: str) -> DataFrameReader:
        """A batch reader of a topic."""
        return (
            self.spark.read.format(who.format)
            .option("kafka.bootstrap.servers", self.broker.bootstrap_servers)
            .option("subscribe", topic)
            .options(**who.options)
        )

    def new_topic(self) -> str:
        """An empty topic. Its name is new: a client that lingers may make an old one again."""
        self.topics += 1
        name = f"bench-spark-{self.topics}"
        create_topic(self.broker, name, PARTITIONS, UNBOUNDED)
        return name

    def fill(self, topic: str, rows: int, value: bytes = VALUE) -> None:
        """Records of an 8 B key and a value, uncompressed, in batches of about 128 KiB."""
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
                    producer.produce(topic, value, b"%08d" % number, number % PARTITIONS)
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(120) == 0

    def delete(self, topic: str) -> None:
        """Give its pages back."""
        delete_topic(self.broker, topic)


def seconds(frame: DataFrame) -> float:
    """How long it takes to have all rows in the JVM."""
    start = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start


def rows_of(
    group: str,
    measure: str,
    rates: Rates,
    targets: tuple[float | None, ...],
    unit: str = "M rows/s",
) -> list[Result]:
    """A row for each of the others; the first one is at least `target` times as fast."""
    (_, ours), *others = rates.items()
    return [
        Result(group, measure, unit, tuple(ours), tuple(theirs), who, target, "higher")
        for (who, theirs), target in zip(others, targets, strict=True)
    ]


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
