"""Streams that start at the same moment add nothing to the map that they share."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from barnabas.spark import register
from barnabas.spark.sessions import stream_environment
from tests.spark.running import run_available
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def test_a_stream_adds_no_name_that_was_not_there(
    spark: SparkSession, topics: Topics, tmp_path: Path
) -> None:
    """Registered anew, the data source has a map that no stream of another test has filled."""
    register(spark)
    before = sorted(stream_environment.names(spark))
    topic = topics.create()
    topics.send_numbers(topic, range(5))
    frame = topics.stream(spark, topic, startingOffsets="earliest").load()
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path))
    run_available(writer)
    assert sorted(stream_environment.names(spark)) == before
    assert set(stream_environment.PER_STREAM) <= set(before)
