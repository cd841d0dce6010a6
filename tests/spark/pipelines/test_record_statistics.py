"""The statistics of a topic whose records are known."""

from pathlib import Path

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from barnabas.cli.dataflow.stats_plot import draw
from barnabas.pipelines import ClusterAddress, StatisticsOptions, topic_statistics
from barnabas.pipelines.record_statistics import KeyCount, SizeStatistics
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

START = 1_357_000_000_000


def test_what_a_topic_is_like(spark: SparkSession, topics: Topics, tmp_path: Path) -> None:
    topic = topics.create(3)
    for codec, numbers in (("none", range(60)), ("zstd", range(60, 100))):
        producer = Producer({"bootstrap.servers": topics.servers, "compression.type": codec})
        for number in numbers:
            key = b"hot" if number % 2 else b"key %02d" % number if number % 4 else None
            value = None if number == 8 else b"x" * number
            producer.produce(topic, value, key, number % 2, timestamp=START + 1000 * number)
        assert producer.flush(30) == 0
    cluster = ClusterAddress(bootstrap_servers=topics.servers)
    options = StatisticsOptions(cluster=cluster, topic=topic, intervals=10, top=2)
    found = topic_statistics(spark, options)
    assert (found.records, found.with_headers, found.distinct_keys) == (100, 0, 26)
    assert [one.records for one in found.partitions] == [50, 50, 0]
    assert found.skew == pytest.approx(1.5)
    assert [one.null_keys for one in found.partitions] == [25, 0, 0]
    assert [one.null_values for one in found.partitions] == [1, 0, 0]
    values = sum(range(100)) - 8
    assert found.values == SizeStatistics(values, 50, 95, 99, 99)
    assert found.bytes == values + 50 * 3 + 25 * 6
    assert found.top_keys == [
        KeyCount(b"hot", 50, 50 * 3 + sum(range(1, 100, 2))),
        KeyCount(b"key 02", 1, 6 + 2),
    ]
    assert [one.records for one in found.rates] == [10] * 10
    assert (found.rates[0].start_ms, found.rates[0].length_ms) == (START, 9901)
    assert {one.codec: one.records for one in found.codecs} == {"none": 60, "zstd": 40}
    draw(found, tmp_path / "topic.png")
    assert (tmp_path / "topic.png").read_bytes().startswith(b"\x89PNG")
    empty = topic_statistics(spark, StatisticsOptions(cluster=cluster, topic=topics.create(1)))
    assert (empty.records, empty.skew, empty.rates, empty.codecs) == (0, 0.0, [], [])
