"""Streams: micro-batches and a backlog beside Spark's own source and sink, exactly once beside at least once.

The checkpoint manager is the same for all (`fast_checkpoints`).
"""

from dataclasses import dataclass

from confluent_kafka import Producer
from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

from benchmarks.plan import Plan
from benchmarks.report.result import Result
from benchmarks.spark.comparison import (
    DEFAULT,
    OURS,
    READ_ROWS,
    TUNED,
    Comparison,
    Contestant,
    measured_broker,
    measured_session,
    rows_of,
)
from benchmarks.spark.stream import backlog_seconds, batch_milliseconds, first_rows_seconds

GROUP = "spark_streams"
FIRST_ROWS = 1000
STREAM_SECONDS = 8.0
BACKLOG_BATCHES = 4
MOST_ADDED_MS = 15
"""What exactly once may add to a micro-batch."""
ONCE = Contestant("exactly once", "barnabas", {"deliveryGuarantee": "exactly-once"})
AT_LEAST_ONCE = Contestant("ours, at least once", "barnabas")


def measure(plan: Plan) -> list[Result]:
    """The rows of group `spark_streams`."""
    with measured_broker() as broker, measured_session() as spark:
        streams = _Streams(Comparison(plan, broker, spark))
        return streams.rows()


@dataclass(slots=True)
class _Streams:
    made: Comparison

    def rows(self) -> list[Result]:
        self.made.fill("bench-first", FIRST_ROWS)
        noop = self.made.in_turns(self._to_noop, OURS, DEFAULT)
        sinks = self.made.in_turns(self._to_sink, ONCE, AT_LEAST_ONCE, DEFAULT)
        first = self.made.in_turns(self._first_rows, OURS, DEFAULT)
        self.made.fill("bench-backlog", self.made.count(READ_ROWS))
        backlog = self.made.in_turns(self._backlog, OURS, DEFAULT, TUNED)
        once, plain = tuple(sinks[ONCE.name]), tuple(sinks[AT_LEAST_ONCE.name])
        added = tuple(more - less for more, less in zip(once, plain, strict=True))
        return [
            Result(
                GROUP, "micro-batch p50, 1000 rows/s to noop", "ms",
                tuple(noop[OURS.name]), tuple(noop[DEFAULT.name]), DEFAULT.name, 1.0,
            ),
            Result(
                GROUP, "micro-batch p50, 1000 rows/s, topic to topic", "ms",
                plain, tuple(sinks[DEFAULT.name]), DEFAULT.name, 1.3,
            ),
            Result(
                GROUP, "micro-batch p50, topic to topic, exactly once", "ms",
                once, plain, AT_LEAST_ONCE.name,
            ),
            Result(GROUP, "exactly once, added to a micro-batch", "ms", added, target=MOST_ADDED_MS),
            Result(
                GROUP, "first rows of a new stream", "s",
                tuple(first[OURS.name]), tuple(first[DEFAULT.name]), DEFAULT.name, 1.2,
            ),
            *rows_of(GROUP, "backlog by AvailableNow, 7 columns, 100 B", backlog, (2.5, 1.3)),
        ]  # fmt: skip

    def _to_noop(self, who: Contestant) -> float:
        source = self.made.new_topic()
        # The topic stays: a task of Spark's own connector that a stopped query leaves behind waits
        # for the offsets of a deleted one for a minute, and holds a core that the next turn needs.
        writer = self._reader(who, source, "latest").load().writeStream.format("noop")
        return self._trickled(writer, source)

    def _to_sink(self, who: Contestant) -> float:
        source, target = self.made.new_topic(), self.made.new_topic()
        frame = self._reader(who, source, "latest").load().select("key", "value")
        writer = frame.writeStream.format(who.format).options(**who.options)
        writer = writer.option("kafka.bootstrap.servers", self.made.broker.bootstrap_servers)
        return self._trickled(writer.option("topic", target), source)

    def _trickled(self, writer: DataStreamWriter, source: str) -> float:
        settings = {"bootstrap.servers": self.made.broker.bootstrap_servers, "linger.ms": 0}
        producer = Producer(settings)
        duration = max(2.0, STREAM_SECONDS * self.made.plan.scale)
        found = batch_milliseconds(writer, producer, source, duration)
        assert producer.flush(30) == 0
        return found

    def _first_rows(self, who: Contestant) -> float:
        frame = self._reader(who, "bench-first", "earliest").load().select("key", "value")
        return first_rows_seconds(frame.writeStream.format("noop"))

    def _backlog(self, who: Contestant) -> float:
        rows = self.made.count(READ_ROWS)
        reader = self._reader(who, "bench-backlog", "earliest").options(**who.options)
        frame = reader.option("maxOffsetsPerTrigger", rows // BACKLOG_BATCHES).load()
        return rows / backlog_seconds(frame.writeStream.format("noop"), rows) / 1e6

    def _reader(self, who: Contestant, topic: str, start: str) -> DataStreamReader:
        reader = self.made.spark.readStream.format(who.format).option("subscribe", topic)
        reader = reader.option("kafka.bootstrap.servers", self.made.broker.bootstrap_servers)
        return reader.option("startingOffsets", start)
