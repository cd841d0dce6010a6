"""Topics to another cluster and groups with them: from a Kafka of today, stopped on the way, and from 0.7."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from barnabas import pipelines
from barnabas.pipelines import (
    ClusterAddress,
    Kafka07Address,
    MirrorOptions,
    PipelineProgress,
    RecordsDiffer,
)
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_set
from barnabas.testing import EmbeddedBroker
from tests.spark.test_archive_and_replay import PARTITIONS, RECORDS, expected, read
from tests.spark.topics import Topics
from tests.wire07 import Wire07

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def old() -> Iterator[EmbeddedBroker]:
    """Where topics come from; one of its listeners is for clients of 0.7."""
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,OLD://127.0.0.1:0",
        "listener.dialect.map": "OLD:kafka-0.7",
    }
    with EmbeddedBroker(config) as made:
        yield made


def commit(topics: Topics, group: str, topic: str, positions: list[int]) -> None:
    places = [TopicPartition(topic, each, at) for each, at in enumerate(positions)]
    asked = [ConsumerGroupTopicPartitions(group, places)]
    admin = AdminClient({"bootstrap.servers": topics.servers})
    (done,) = admin.alter_consumer_group_offsets(asked).values()
    done.result(20)


def next_values(topics: Topics, group: str, topic: str, partition: int, count: int) -> list[bytes]:
    """What a member of the group reads next of a partition."""
    consumer = Consumer(
        {"bootstrap.servers": topics.servers, "group.id": group, "enable.auto.commit": False}
    )
    (saved,) = consumer.committed([TopicPartition(topic, partition)], 20)
    consumer.assign([saved])
    messages = consumer.consume(count, 20)
    consumer.close()
    return [each.value() or b"" for each in messages]


def test_a_mirror_resumes_and_moves_groups(
    spark: SparkSession, old: EmbeddedBroker, topics: Topics, tmp_path: Path
) -> None:
    source = Topics(old.bootstrap_servers)
    topic = source.create(PARTITIONS, name="mirrored")
    source.send(topic, RECORDS)
    commit(source, "readers", topic, [40, 150, 0])
    options = MirrorOptions(
        source=ClusterAddress(bootstrap_servers=old.bootstrap_servers),
        target=ClusterAddress(bootstrap_servers=topics.servers),
        topics=[topic],
        directory=str(tmp_path / "mirror"),
        groups=None,
        records_per_batch=100,
    )

    def stop(progress: PipelineProgress) -> None:
        if progress.batches:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        pipelines.mirror(spark, options, stop)
    done = pipelines.mirror(spark, options)
    assert done.comparison.equal
    assert read(topics, topic) == expected()
    assert [(each.group, each.state) for each in done.groups] == [("readers", "moved")] * 3
    for partition, at in enumerate([40, 150]):
        values = [each[0] or b"" for each in expected()[partition][at : at + 5]]
        assert next_values(topics, "readers", topic, partition, 5) == values
    source.send(topic, RECORDS[:10])
    again = pipelines.mirror(spark, options)
    assert again.records == sum(part.source_records for part in again.comparison.parts) == 10
    assert {each.state for each in again.groups} == {"kept"}
    topics.send(topic, RECORDS[:1])
    with pytest.raises(RecordsDiffer, match="is surplus"):
        pipelines.mirror(spark, options)


def test_a_topic_of_0_7(old: EmbeddedBroker, topics: Topics, tmp_path: Path) -> None:
    def send(first: int, last: int) -> None:
        with Wire07(old.port_of("OLD")) as wire:
            for at in range(first, last, 10):
                values = [b"%d" % number for number in range(at, at + 10)]
                wire.produce("dogs", 0, encode_set(values, codec=Codec(at // 10 % 3)))
            wire.fetch("dogs", size=0)

    options = MirrorOptions(
        source=Kafka07Address(brokers={0: f"127.0.0.1:{old.port_of('OLD')}"}),
        target=ClusterAddress(bootstrap_servers=topics.servers),
        topics=["dogs"],
        names={"dogs": "dogs-of-today"},
        directory=str(tmp_path / "mirror"),
    )
    send(0, 300)
    assert pipelines.mirror(None, options).records == 300
    send(300, 400)
    done = pipelines.mirror(None, options)
    assert (done.records, done.comparison.equal) == (100, True)
    found = read(topics, "dogs-of-today")[0]
    assert [(int(value or b""), key) for value, key, _, _ in found] == [
        (n, None) for n in range(400)
    ]
