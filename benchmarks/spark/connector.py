"""The Spark connector beside Spark's own, default and tuned, and beside what Spark's API allows, in turns.

Batches: 100 B and 1,000 B values with keys of 8 B in 4 partitions. All in one session.
"""

import time
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from benchmarks.peers.brokers import cpu_seconds
from benchmarks.plan import Plan
from benchmarks.report.result import Result
from benchmarks.spark import ready_batches
from benchmarks.spark.comparison import (
    DEFAULT,
    OURS,
    PARTITIONS,
    READ_ROWS,
    TUNED,
    VALUE,
    Comparison,
    Contestant,
    measured_broker,
    measured_session,
    rows_of,
    seconds,
)
from benchmarks.spark.planning import planning_rows

GROUP = "spark"
LARGE_ROWS = 1_000_000
LARGE = b"v" * 1000
WRITE_ROWS = 2_000_000
SMALL_TOPIC, LARGE_TOPIC = "bench-spark", "bench-spark-large"

TUNED_WRITER = Contestant(
    TUNED.name,
    "kafka",
    {"kafka.linger.ms": "20", "kafka.batch.size": str(512 << 10), "kafka.acks": "1"},
)
READY = Contestant("the most that the API allows", ready_batches.NAME)
OF_READY = 0.8
"""The part that is ours to lose of what a source of ready batches reaches."""


def measure(plan: Plan) -> list[Result]:
    """The rows of group `spark`."""
    with measured_broker() as broker, measured_session() as spark:
        ready_batches.register(spark)
        return Batches(Comparison(plan, broker, spark)).rows()


@dataclass(slots=True)
class Batches:
    """Batch reads of one topic after the other, and batch writes."""

    made: Comparison
    broker_cpu: dict[str, list[float]] = field(default_factory=dict)
    to_write: DataFrame | None = None

    def rows(self) -> list[Result]:
        """Measure all, in turns."""
        both = (OURS, DEFAULT, TUNED)
        self.made.fill(SMALL_TOPIC, self.made.count(READ_ROWS))
        all_columns = self.made.in_turns(self._read_all, *both, READY)
        broker_cpu = {name: found[1:] for name, found in self.broker_cpu.items()}
        values = self.made.in_turns(self._read_values, *both, READY)
        counts = self.made.in_turns(self._count_rows, *both)
        self.made.delete(SMALL_TOPIC)
        self.made.fill(LARGE_TOPIC, self.made.count(LARGE_ROWS), LARGE)
        large = self.made.in_turns(self._read_large, *both)
        self.made.delete(LARGE_TOPIC)
        planning = planning_rows(GROUP, self.made)
        writes = self.made.in_turns(self._write, OURS, DEFAULT, TUNED_WRITER, READY)
        return [
            *rows_of(GROUP, "batch read, 7 columns, 100 B", all_columns, (3.5, 1.8, OF_READY)),
            *rows_of(GROUP, "batch read, value only (ours by schema)", values, (6, 3, OF_READY)),
            *rows_of(GROUP, "count (ours with an offset-only schema)", counts, (7, 3.3)),
            *rows_of(GROUP, "batch read, 7 columns, 1,000 B", large, (2, 1.2)),
            *planning,
            *rows_of(GROUP, "batch write, 100 B", writes, (1.4, 1.1, None)),
            Result(
                GROUP, "batch read, 7 columns, 100 B, CPU of the broker", "µs CPU a row",
                tuple(broker_cpu[OURS.name]), tuple(broker_cpu[DEFAULT.name]), DEFAULT.name, 0.1,
            ),
        ]  # fmt: skip

    def _read_all(self, who: Contestant) -> float:
        before = cpu_seconds(self.made.broker.pid)
        found = self._read(who, SMALL_TOPIC, READ_ROWS, "")
        took = cpu_seconds(self.made.broker.pid) - before
        spent = took / self.made.count(READ_ROWS) * 1e6
        self.broker_cpu.setdefault(who.name, []).append(spent)
        return found

    def _read_values(self, who: Contestant) -> float:
        return self._read(who, SMALL_TOPIC, READ_ROWS, "value")

    def _read_large(self, who: Contestant) -> float:
        return self._read(who, LARGE_TOPIC, LARGE_ROWS, "")

    def _read(self, who: Contestant, topic: str, rows: int, column: str) -> float:
        reader = self.made.reader(who, topic)
        if who is READY:
            reader = self.made.spark.read.format(who.format).option("rows", self.made.count(rows))
        if column and who.format != "kafka":
            reader = reader.schema(f"{column} binary")
        frame = reader.load()
        if column and who.format == "kafka":
            frame = frame.select(column)
        count = self.made.count(rows)
        return (ready_batches.ready_rows(count) if who is READY else count) / seconds(frame) / 1e6

    def _count_rows(self, who: Contestant) -> float:
        reader = self.made.reader(who, SMALL_TOPIC)
        frame = reader.schema("offset long").load() if who is OURS else reader.load()
        start = time.perf_counter()
        found = frame.count()
        took = time.perf_counter() - start
        assert found == self.made.count(READ_ROWS), found
        return found / took / 1e6

    def _write(self, who: Contestant) -> float:
        rows = self.made.count(WRITE_ROWS)
        name = self.made.new_topic()
        if self.to_write is None:
            self.to_write = self._rows_to_write(rows)
        writer = self.to_write.write.format(who.format).mode("append").options(**who.options)
        if who is not READY:
            writer = writer.option("kafka.bootstrap.servers", self.made.broker.bootstrap_servers)
            writer = writer.option("topic", name)
        start = time.perf_counter()
        writer.save()
        took = time.perf_counter() - start
        written = self.made.reader(OURS, name).schema("offset long").load().count()
        assert written == (0 if who is READY else rows), f"{who.name} wrote {written} of {rows}"
        self.made.delete(name)
        return rows / took / 1e6

    def _rows_to_write(self, rows: int) -> DataFrame:
        frame = self.made.spark.range(0, rows, 1, PARTITIONS).selectExpr(
            "CAST(LPAD(CAST(id AS STRING), 8, '0') AS BINARY) AS key",
            f"CAST(REPEAT('v', {len(VALUE)}) AS BINARY) AS value",
        )
        frame = frame.cache()
        frame.count()
        return frame
