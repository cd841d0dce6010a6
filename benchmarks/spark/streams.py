"""Streams from topic to topic: beside Spark's own sink, exactly once beside at least once, first rows.

The checkpoint manager is the same for all (`fast_checkpoints`).
"""

from dataclasses import dataclass

from confluent_kafka import Producer
from pyspark.sql.streaming.readwriter import DataStreamWriter

from benchmarks.plan import Plan
from benchmarks.report.result import Result
from benchmarks.spark.connector import (
    DEFAULT,
    OURS,
    Comparison,
    Contestant,
    measured_broker,
    measured_session,
)
from benchmarks.spark.stream import batch_milliseconds, first_rows_seconds

GROUP = "spark_streams"
FIRST_ROWS = 1000
STREAM_SECONDS = 8.0
ONCE = Contestant("exactly once", "barnabas", {"deliveryGuarantee": "exactly-once"})
AT_LEAST_ONCE = Contestant("ours, at least once", "barnabas", {})


def measure(plan: Plan) -> list[Result]:
    """The rows of group `spark_streams`."""
    with measured_broker() as broker, measured_session() as spark:
        streams = _Streams(Comparison(plan, broker, spark), plan)
        return streams.rows()


@dataclass(slots=True)
class _Streams:
    made: Comparison
    plan: Plan

    def rows(self) -> list[Result]:
        self.made.fill("bench-first", FIRST_ROWS)
        sinks = self.made.in_turns(self._to_sink, ONCE, AT_LEAST_ONCE, DEFAULT)
        first = self.made.in_turns(self._first_rows, OURS, DEFAULT)
        plain = tuple(sinks[AT_LEAST_ONCE.name])
        return [
            Result(
                GROUP, "micro-batch p50, 1000 rows/s, topic to topic", "ms",
                plain, tuple(sinks[DEFAULT.name]), DEFAULT.name, 1.3,
            ),
            Result(
                GROUP, "micro-batch p50, topic to topic, exactly once", "ms",
                tuple(sinks[ONCE.name]), plain, AT_LEAST_ONCE.name, None,
            ),
            Result(
                GROUP, "first rows of a new stream", "s",
                tuple(first[OURS.name]), tuple(first[DEFAULT.name]), DEFAULT.name, 1.2,
            ),
        ]  # fmt: skip

    def _to_sink(self, who: Contestant) -> float:
        source, target = self.made.new_topic(), self.made.new_topic()
        servers = self.made.broker.bootstrap_servers
        writer = self._stream(who, source, "latest").format(who.format).options(**who.options)
        writer = writer.option("kafka.bootstrap.servers", servers).option("topic", target)
        producer = Producer({"bootstrap.servers": servers, "linger.ms": 0})
        seconds = max(2.0, STREAM_SECONDS * self.plan.scale)
        found = batch_milliseconds(writer, producer, source, seconds)
        assert producer.flush(30) == 0
        return found

    def _first_rows(self, who: Contestant) -> float:
        return first_rows_seconds(self._stream(who, "bench-first", "earliest").format("noop"))

    def _stream(self, who: Contestant, topic: str, start: str) -> DataStreamWriter:
        reader = self.made.spark.readStream.format(who.format).option("subscribe", topic)
        reader = reader.option("kafka.bootstrap.servers", self.made.broker.bootstrap_servers)
        frame = reader.option("startingOffsets", start).load().select("key", "value")
        return frame.writeStream
