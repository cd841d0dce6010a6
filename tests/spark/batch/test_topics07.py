"""Topics of Kafka 0.7's format in Spark: offsets are byte positions, and any of them may begin a task."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_message, encode_set
from barnabas.testing import EmbeddedBroker
from tests.spark.running import numbers_in, run_available, to_files
from tests.spark.topics import Topics
from tests.wires.wire07 import Wire07

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

COUNT = 300


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "OLD:kafka-0.7",
    }
    with EmbeddedBroker(config) as made:
        yield made


def send(broker: EmbeddedBroker, topic: str, first: int, last: int) -> None:
    """Sets of ten, plain, gzip and snappy in turn, from a client of 0.7."""
    with Wire07(broker.port_of("OLD")) as wire:
        for at in range(first, last, 10):
            values = [b"%d" % number for number in range(at, at + 10)]
            wire.produce(topic, 0, encode_set(values, codec=Codec(at // 10 % 3)))
        wire.fetch(topic, size=0)


@pytest.mark.parametrize("tasks", [pytest.param(1, marks=pytest.mark.long), 7])
def test_a_batch_in_any_number_of_tasks(
    spark: SparkSession, broker: EmbeddedBroker, tasks: int
) -> None:
    topic = f"batch-{tasks}"
    send(broker, topic, 0, COUNT)
    frame = Topics(broker.bootstrap_servers).batch(spark, topic, minPartitions=tasks)
    assert frame.rdd.getNumPartitions() >= tasks
    rows = sorted(frame.collect(), key=lambda row: row.offset)
    assert [int(row.value) for row in rows] == list(range(COUNT))
    assert [row.offset for row in rows[:10]] == [
        len(encode_set([b"%d" % number for number in range(before)])) for before in range(10)
    ]
    assert {row.key for row in rows} == {None}


@pytest.mark.long
def test_a_stream_goes_on_at_its_byte(
    spark: SparkSession, broker: EmbeddedBroker, tmp_path: Path
) -> None:
    out, checkpoint = tmp_path / "out", str(tmp_path / "checkpoint")
    topics = Topics(broker.bootstrap_servers)
    send(broker, "stream", 0, 100)
    frame = topics.stream(
        spark, "stream", startingOffsets="earliest", maxOffsetsPerTrigger=500
    ).load()
    run_available(to_files(frame, out, checkpoint))
    assert numbers_in(out) == list(range(100))
    send(broker, "stream", 100, COUNT)
    run_available(to_files(frame, out, checkpoint))
    assert numbers_in(out) == list(range(COUNT))


@pytest.mark.long
def test_spark_writes_what_the_format_can_hold(spark: SparkSession, broker: EmbeddedBroker) -> None:
    send(broker, "written", 0, 10)
    frame = spark.createDataFrame([("rex",)], "value string")
    writer = frame.write.format("barnabas").option(
        "kafka.bootstrap.servers", broker.bootstrap_servers
    )
    writer.options(topic="written", **{"kafka.enable.idempotence": "false"}).mode("append").save()
    with Wire07(broker.port_of("OLD")) as wire:
        assert wire.fetch("written", 0)[1].endswith(encode_message(b"rex"))
