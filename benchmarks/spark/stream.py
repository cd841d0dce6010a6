"""How long a micro-batch takes, of a thousand rows a second, and how long the first rows of a new stream."""

import tempfile
import time
from statistics import median

from confluent_kafka import Producer
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

ROWS_A_SECOND = 1000
ROUNDS_A_SECOND = 100
WARM_BATCHES = 10
PATIENCE_S = 240


def batch_milliseconds(
    writer: DataStreamWriter, producer: Producer, topic: str, seconds: float
) -> float:
    """Median duration of the micro-batches that had rows, after the first ten, as Spark tells it.

    Micro-batches follow each other without a pause. The stream must start at the latest offsets of `topic`.
    """
    with tempfile.TemporaryDirectory(prefix="bench-checkpoint-") as checkpoint:
        query = writer.option("checkpointLocation", checkpoint).start()
        try:
            found: list[int] = []
            began = time.monotonic()
            while len(found) < WARM_BATCHES or time.monotonic() - began < seconds:
                assert time.monotonic() - began < PATIENCE_S, f"only {len(found)} micro-batches"
                _trickle(producer, topic)
                assert query.isActive, query.exception()
                found = _durations(query)
        finally:
            query.stop()
    return median(found[WARM_BATCHES:] or found)


def first_rows_seconds(writer: DataStreamWriter) -> float:
    """From the start of a query to the end of its first micro-batch with rows."""
    with tempfile.TemporaryDirectory(prefix="bench-checkpoint-") as checkpoint:
        began = time.perf_counter()
        query = writer.option("checkpointLocation", checkpoint).start()
        try:
            while not _durations(query):
                assert query.isActive, query.exception()
                assert time.perf_counter() - began < PATIENCE_S, "no rows"
                time.sleep(0.005)
            return time.perf_counter() - began
        finally:
            query.stop()


def backlog_seconds(writer: DataStreamWriter, rows: int) -> float:
    """How long the micro-batches take, together, that read all `rows` there are and end."""
    with tempfile.TemporaryDirectory(prefix="bench-checkpoint-") as checkpoint:
        query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
        assert query.awaitTermination(PATIENCE_S), "the backlog was not read in time"
        found = sum(each.numInputRows for each in query.recentProgress)
        assert found == rows, f"{found} rows of {rows}"
        return sum(_durations(query)) / 1000


def _trickle(producer: Producer, topic: str) -> None:
    """One second's rows, spread over the second."""
    for _ in range(ROUNDS_A_SECOND):
        for _ in range(ROWS_A_SECOND // ROUNDS_A_SECOND):
            producer.produce(topic, b"v" * 100)
        producer.poll(1 / ROUNDS_A_SECOND)


def _durations(query: StreamingQuery) -> list[int]:
    return [
        each.durationMs["triggerExecution"] for each in query.recentProgress if each.numInputRows
    ]
