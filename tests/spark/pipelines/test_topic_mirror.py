"""Topics to another cluster and groups with them: from a Kafka of today, stopped on the way, and from 0.7."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from barnabas import pipelines
from barnabas.driver07 import SimpleConsumer
from barnabas.pipelines import (
    ClusterAddress,
    Kafka07Address,
    MirrorOptions,
    PipelineProgress,
    PipelineRefused,
    RecordsDiffer,
)
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07.message07 import encode_set
from barnabas.testing import EmbeddedBroker
from tests.spark.pipelines.test_archive_and_replay import PARTITIONS, RECORDS, expected, read
from tests.spark.topics import Given, Topics
from tests.wires.wire07 import Wire07

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


def filled(old: EmbeddedBroker, topics: Topics, name: str, tmp_path: Path) -> MirrorOptions:
    """A topic with `RECORDS`, and the mirror of it and of all groups."""
    source = Topics(old.bootstrap_servers)
    topic = source.create(PARTITIONS, name=name)
    source.send(topic, RECORDS)
    return MirrorOptions(
        source=ClusterAddress(bootstrap_servers=old.bootstrap_servers),
        target=ClusterAddress(bootstrap_servers=topics.servers),
        topics=[topic],
        directory=str(tmp_path / "mirror"),
        groups=None,
        records_per_batch=150,
    )


def test_a_mirror_resumes_and_moves_groups(
    spark: SparkSession, old: EmbeddedBroker, topics: Topics, tmp_path: Path
) -> None:
    options = filled(old, topics, "mirrored", tmp_path)
    commit(Topics(old.bootstrap_servers), "readers", "mirrored", [40, 150, 0])

    def stop(progress: PipelineProgress) -> None:
        if progress.batches:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        pipelines.mirror(spark, options, stop)
    done = pipelines.mirror(spark, options)
    assert done.comparison.equal
    assert read(topics, "mirrored") == expected()
    assert [(each.group, each.state) for each in done.groups] == [("readers", "moved")] * 3
    for partition, at in enumerate([40, 150]):
        values = [each[0] or b"" for each in expected()[partition][at : at + 5]]
        assert next_values(topics, "readers", "mirrored", partition, 5) == values


def test_a_mirror_goes_on_with_its_own_target_only(
    spark: SparkSession, old: EmbeddedBroker, topics: Topics, tmp_path: Path
) -> None:
    options = filled(old, topics, "one-target", tmp_path)
    pipelines.mirror(spark, options)
    Topics(old.bootstrap_servers).send("one-target", RECORDS[:10])
    with pytest.raises(PipelineRefused, match="writes one-target to one-target, not to other"):
        pipelines.mirror(spark, replace(options, names={"one-target": "other"}))
    assert "other" not in topics.names()
    topics.delete("one-target")
    with pytest.raises(PipelineRefused, match="gone from the target"):
        pipelines.mirror(spark, options)
    assert "one-target" not in topics.names()
    elsewhere = replace(options, target=options.source, names={"one-target": "one-target"})
    with pytest.raises(PipelineRefused, match="and the target is the cluster"):
        pipelines.mirror(spark, elsewhere)


@pytest.mark.long
def test_a_mirror_goes_on_and_finds_records_of_others(
    spark: SparkSession, old: EmbeddedBroker, topics: Topics, tmp_path: Path
) -> None:
    options = filled(old, topics, "gone-on", tmp_path)
    source = Topics(old.bootstrap_servers)

    def stop(progress: PipelineProgress) -> None:
        if progress.step == "compare":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        pipelines.mirror(spark, options, stop)
    # Retention takes records between copying and comparing them.
    source.delete_before("gone-on", 30)
    first = pipelines.mirror(spark, options)
    assert first.records == 0
    assert [part.source_records for part in first.comparison.parts] == [70, 200]
    source.send("gone-on", RECORDS[:10])
    again = pipelines.mirror(spark, options)
    assert again.records == sum(part.source_records for part in again.comparison.parts) == 10
    topics.send("gone-on", RECORDS[:1])
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


def to_07(old: EmbeddedBroker, topics: Topics, topic: str, folder: Path) -> MirrorOptions:
    return MirrorOptions(
        source=ClusterAddress(bootstrap_servers=topics.servers),
        target=Kafka07Address(brokers={0: f"127.0.0.1:{old.port_of('OLD')}"}),
        topics=[topic],
        directory=str(folder / "mirror"),
    )


def test_a_topic_to_0_7_resumes_and_finds_messages_of_others(
    old: EmbeddedBroker, topics: Topics, tmp_path: Path
) -> None:
    def send(first: int, last: int) -> None:
        topics.send(topic, [Given(b"%d" % n + b"x" * 2000, b"key") for n in range(first, last)])

    def stop(_progress: PipelineProgress) -> None:
        raise InterruptedError

    topic = topics.create(name="to-old")
    options = to_07(old, topics, topic, tmp_path)
    send(0, 600)
    with pytest.raises(InterruptedError):
        pipelines.mirror(None, options, stop)
    # What a killed run wrote and did not compare.
    shutil.rmtree(options.directory)
    send(600, 700)
    done = pipelines.mirror(None, options)
    assert (done.records, done.comparison.parts[0].source_records) == (100, 700)
    send(700, 710)
    assert pipelines.mirror(None, options).records == 10
    with SimpleConsumer("127.0.0.1", old.port_of("OLD")) as consumer:
        payloads, at = [], 0
        while (found := consumer.fetch(topic, 0, at)).messages:
            payloads += [each.payload for each in found.messages]
            at = found.next_offset
    assert payloads == [b"%d" % n + b"x" * 2000 for n in range(710)]
    with Wire07(old.port_of("OLD")) as wire:
        wire.produce(topic, 0, encode_set([b"of somebody else"]))
        wire.fetch(topic, size=0)
    with pytest.raises(RecordsDiffer, match="is surplus"):
        pipelines.mirror(None, options)


def test_what_0_7_cannot_keep_is_refused(
    old: EmbeddedBroker, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create(name="tombs")
    options = to_07(old, topics, topic, tmp_path)
    with pytest.raises(PipelineRefused, match="positions in ZooKeeper: name it"):
        pipelines.mirror(None, replace(options, groups=None))
    topics.send(topic, [Given(b"a"), Given(None, b"key")])
    with pytest.raises(PipelineRefused, match="tombs-0 has no value at offset 1"):
        pipelines.mirror(None, options)


@pytest.mark.long
@pytest.mark.parametrize("release", ["0.10.2", "0.11.0", "2.8"])
def test_an_older_kafka_as_the_source(
    spark: SparkSession, topics: Topics, tmp_path: Path, release: str
) -> None:
    records = [replace(each, headers=()) if release == "0.10.2" else each for each in RECORDS]
    with EmbeddedBroker(profile=release) as broker:
        source = Topics(broker.bootstrap_servers)
        topic = source.create(PARTITIONS, name=f"from-{release}")
        source.send(topic, records)
        commit(source, f"readers-{release}", topic, [40, 150, 0])
        options = MirrorOptions(
            source=ClusterAddress(bootstrap_servers=broker.bootstrap_servers),
            target=ClusterAddress(bootstrap_servers=topics.servers),
            topics=[topic],
            directory=str(tmp_path / "mirror"),
            groups=[f"readers-{release}"],
        )
        done = pipelines.mirror(spark, options)
    assert done.comparison.equal
    assert [each.state for each in done.groups] == ["moved"] * 3
    kept = {each: [row[:3] for row in rows] for each, rows in expected().items()}
    assert {each: [row[:3] for row in rows] for each, rows in read(topics, topic).items()} == kept
