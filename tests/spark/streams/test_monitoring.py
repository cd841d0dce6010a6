"""A query's progress where others look for it: in a group, as lag, in the log."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from barnabas import Admin, Consumer
from barnabas.spark.monitoring import ProgressLog, lag
from tests.spark.running import run_available, to_files
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture
def admin(topics: Topics) -> Iterator[Admin]:
    with Admin(bootstrap_servers=topics.servers) as found:
        yield found


def positions(admin: Admin, group: str) -> list[int]:
    """A group's, by partition."""
    return [saved.offset for _, saved in sorted(admin.list_group_offsets(group).items())]


def test_a_group_has_what_was_finished_the_last_batch_included(
    spark: SparkSession,
    topics: Topics,
    admin: Admin,
    tmp_path: Path,
    checkpoint: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic, group = topics.create(2), "shown-by-tools"
    topics.send_numbers(topic, range(20), partitions=2)
    options = {"startingOffsets": "earliest", "commitOffsetsToGroup": group}
    frame = topics.stream(spark, topic, maxOffsetsPerTrigger=8, **options).load()
    log = ProgressLog()
    spark.streams.addListener(log)
    caplog.set_level(logging.INFO, "barnabas.spark.monitoring")
    try:
        query = run_available(to_files(frame, tmp_path / "out", checkpoint))
    finally:
        spark.streams.removeListener(log)
    assert positions(admin, group) == [10, 10]
    assert set(lag(query).values()) == {0}
    topics.send_numbers(topic, range(20, 23), partitions=2)
    run_available(to_files(frame, tmp_path / "out", checkpoint))
    assert positions(admin, group) == [12, 11]
    lines = [each for each in caplog.messages if each.startswith("stream progress")]
    assert any("rows=8 " in line and "lag=12 " in line for line in lines), lines


def test_a_batch_that_failed_is_not_shown_as_finished(
    spark: SparkSession, topics: Topics, admin: Admin, checkpoint: str
) -> None:
    topic, group = topics.create(), "not-yet"
    topics.send_numbers(topic, range(10))
    options = {"startingOffsets": "earliest", "commitOffsetsToGroup": group}
    frame = topics.stream(spark, topic, maxOffsetsPerTrigger=5, **options).load()

    def fail_second(_batch: object, number: int) -> None:
        if number == 1:
            raise RuntimeError("the second batch fails")

    writer = frame.writeStream.foreachBatch(fail_second).option("checkpointLocation", checkpoint)
    with pytest.raises(StreamingQueryException, match="the second batch fails"):
        run_available(writer)
    assert positions(admin, group) == [5]


@pytest.mark.long
def test_a_group_with_members_is_refused(
    spark: SparkSession, topics: Topics, tmp_path: Path, checkpoint: str
) -> None:
    topic, group = topics.create(), "in-use"
    topics.send_numbers(topic, range(5))
    with Consumer(bootstrap_servers=topics.servers, group_id=group) as consumer:
        consumer.subscribe([topic])
        while not consumer.assignment():
            consumer.poll(0.1)
        options = {"startingOffsets": "earliest", "commitOffsetsToGroup": group}
        frame = topics.stream(spark, topic, **options).load()
        with pytest.raises(StreamingQueryException, match="commitOffsetsToGroup.*has members"):
            run_available(to_files(frame, tmp_path / "out", checkpoint))
