"""Lag and log lines, from the progress that Spark reports."""

import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.streaming.listener import StreamingQueryProgress

from barnabas.spark.monitoring import ProgressLog, lag
from barnabas.types import TopicPartition


def progress(*sources: tuple[Any, Any]) -> StreamingQueryProgress:
    """One that Spark would report, with the end and the newest offset of each source."""
    row = {"inputRowsPerSecond": 0.0, "processedRowsPerSecond": 0.0, "numInputRows": 7}
    return StreamingQueryProgress.fromJson(
        {
            "id": "2c6e7e2e-7d1c-4f0a-8d6e-3f1f5d6a7b8c",
            "runId": "2c6e7e2e-7d1c-4f0a-8d6e-3f1f5d6a7b8d",
            "name": "sounds",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "batchId": 3,
            "batchDuration": 100,
            "durationMs": {},
            "eventTime": {},
            "stateOperators": [],
            "observedMetrics": {},
            "sink": {"description": "noop", "numOutputRows": 7},
            "sources": [
                row
                | {
                    "description": "org.apache.spark.Some@1234",
                    "startOffset": None,
                    "endOffset": done,
                    "latestOffset": newest,
                }
                for done, newest in sources
            ],
        }
    )


def asked(found: StreamingQueryProgress | None) -> dict[TopicPartition, int]:
    return lag(SimpleNamespace(lastProgress=found))  # type: ignore[arg-type]


def test_lag_is_what_is_not_finished_of_each_partition() -> None:
    done, newest = {"t": {"0": 5, "1": 9}}, {"t": {"0": 8, "1": 9, "2": 4}}
    expected = {TopicPartition("t", 0): 3, TopicPartition("t", 1): 0, TopicPartition("t", 2): 4}
    assert asked(progress((done, newest))) == expected
    assert asked(progress((json.dumps(done), json.dumps(newest)))) == expected
    assert asked(None) == {}


def test_sources_that_read_no_topics_have_none() -> None:
    assert asked(progress((7, 9), (None, None), ("x", "{"))) == {}


def test_each_batch_is_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "barnabas.spark.monitoring")
    found = progress(({"t": {"0": 5, "1": 1}}, {"t": {"0": 8, "1": 9}}))
    ProgressLog(1).onQueryProgress(SimpleNamespace(progress=found))  # type: ignore[arg-type]
    assert caplog.messages == [
        "stream progress query=sounds batch=3 rows=7 rows_per_s=0.0 lag=11 t-1=8"
    ]
