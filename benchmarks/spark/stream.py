"""How long a micro-batch takes: a stream of a thousand rows a second into nowhere."""

import tempfile
import time
from statistics import median

from confluent_kafka import Producer
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

ROWS_A_SECOND = 1000
ROUNDS_A_SECOND = 100
WARM_BATCHES = 10
PATIENCE_S = 60


def batch_milliseconds(frame: DataFrame, producer: Producer, topic: str, seconds: float) -> float:
    """Median duration of the micro-batches that had rows, after the first ten, as Spark tells it.

    Micro-batches follow each other without a pause. `frame` must start at the latest offsets.
    """
    with tempfile.TemporaryDirectory(prefix="bench-checkpoint-") as checkpoint:
        writer = frame.writeStream.format("noop").option("checkpointLocation", checkpoint)
        query = writer.start()
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
