"""Topics to an archive and back, stopped on the way; what is missing or doubled afterwards is found."""

import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from barnabas import pipelines
from barnabas.pipelines import (
    ArchiveOptions,
    ArchiveSide,
    ClusterAddress,
    CompareOptions,
    PipelineProgress,
    PipelineRefused,
    RecordsDiffer,
    ReplayOptions,
    TopicSide,
)
from barnabas.pipelines.archive_files import ArchiveDirectory
from barnabas.pipelines.archives import topic_archive
from tests.spark.topics import Given, Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

PARTITIONS = 3
RECORDS = [
    Given(
        None if number % 50 == 3 else b"value %d" % number,
        None if number % 7 == 0 else b"key %d" % (number % 7),
        number * number % PARTITIONS,
        1_357_000_000_000 + number,
        [("n", b"%d" % number), ("empty", b""), ("null", None)] if number % 3 else [],
    )
    for number in range(300)
]

Kept = tuple[bytes | None, bytes | None, int, list[tuple[str, bytes | None]]]


def read(topics: Topics, topic: str) -> dict[int, list[Kept]]:
    """What a real client reads of committed records: value, key, time and headers by partition."""
    consumer = Consumer(
        {"bootstrap.servers": topics.servers, "group.id": "unused", "enable.partition.eof": True}
    )
    partitions = consumer.list_topics(topic, 20).topics[topic].partitions
    consumer.assign([TopicPartition(topic, each, 0) for each in partitions])
    found: dict[int, list[Kept]] = {each: [] for each in partitions}
    left = {each: topics.end(topic, each) for each in partitions}
    while left:
        message = consumer.poll(20)
        assert message is not None, f"not decided up to {left}"
        partition, offset = message.partition(), message.offset()
        assert partition is not None
        assert offset is not None
        if message.error() is None:
            headers = list(message.headers() or [])
            kept = (message.value(), message.key(), message.timestamp()[1], headers)
            found[partition].append(kept)
        elif offset >= left.get(partition, 0):
            left.pop(partition, None)
    consumer.close()
    return found


def expected() -> dict[int, list[Kept]]:
    found: dict[int, list[Kept]] = {each: [] for each in range(PARTITIONS)}
    for each in RECORDS:
        kept = (each.value, each.key, each.timestamp_ms, list(each.headers))
        found[each.partition].append(kept)
    return found


@dataclass(frozen=True)
class Flow:
    """One topic with `RECORDS`, and the options of its archive and of its replay."""

    spark: SparkSession
    topics: Topics
    topic: str
    directory: Path

    @property
    def cluster(self) -> ClusterAddress:
        return ClusterAddress(bootstrap_servers=self.topics.servers)

    def archive(self) -> pipelines.ArchiveResult:
        options = ArchiveOptions(
            source=self.cluster,
            topics=[self.topic],
            directory=str(self.directory),
            records_per_batch=100,
        )
        return pipelines.archive(self.spark, options)

    def replay(self, name: str, **more: object) -> pipelines.ReplayResult:
        options = ReplayOptions(
            directory=str(self.directory), target=self.cluster, names={self.topic: name}, tasks=2
        )
        return pipelines.replay(self.spark, options, **more)  # type: ignore[arg-type]

    def files(self) -> list[Path]:
        return sorted(self.directory.glob("topic=*/partition=*/batch=*/*.parquet"))


@pytest.fixture
def flow(spark: SparkSession, topics: Topics, tmp_path: Path) -> Flow:
    topic = topics.create(PARTITIONS)
    topics.send(topic, RECORDS)
    return Flow(spark, topics, topic, tmp_path / "archive")


@pytest.fixture
def failing_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive stops once between writing batch 1 and saying so."""
    write = topic_archive._write
    failed: list[int] = []

    def stopping(batch: DataFrame, number: int, into: ArchiveDirectory) -> None:
        write(batch, number, into)
        if number == 1 and not failed:
            failed.append(number)
            raise InterruptedError("stopped between two batches")

    monkeypatch.setattr(topic_archive, "_write", stopping)


def test_there_and_back_with_stops(flow: Flow, failing_once: None) -> None:
    with pytest.raises(PySparkException, match="stopped between two batches"):
        flow.archive()
    done = flow.archive()
    assert sum(done.checked.values()) == len(RECORDS)
    table = ds.dataset(flow.directory, format="parquet", partitioning="hive")
    assert table.count_rows() == len(RECORDS)  # Readers that know nothing of Spark see each once.
    assert flow.archive().records == 0

    copy = f"{flow.topic}-copy"

    def stop(progress: PipelineProgress) -> None:
        if progress.batches == 1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        flow.replay(copy, on_progress=stop)
    assert 0 < sum(map(len, read(flow.topics, copy).values())) < len(RECORDS)
    back = flow.replay(copy)
    assert 0 < back.records < len(RECORDS)
    assert back.comparison.equal
    assert read(flow.topics, copy) == expected() == read(flow.topics, flow.topic)
    assert flow.replay(copy).records == 0


@pytest.mark.long
def test_what_came_since_is_added(flow: Flow) -> None:
    flow.archive()
    copy = f"{flow.topic}-copy"
    flow.replay(copy)
    flow.topics.send(flow.topic, RECORDS[:30])
    assert flow.archive().records == 30
    assert flow.replay(copy).records == 30
    assert read(flow.topics, copy) == read(flow.topics, flow.topic)


def test_missing_and_doubled_records_are_found(flow: Flow) -> None:
    flow.archive()
    doubled, missing = (
        next(file for file in flow.files() if f"partition={each}" in str(file)) for each in (0, 1)
    )
    sizes = {
        "doubled": ds.dataset(doubled).count_rows(),
        "missing": ds.dataset(missing).count_rows(),
    }
    again = doubled.parent.with_name("batch=99")
    shutil.copytree(doubled.parent, again)
    missing.unlink()
    with pytest.raises(RecordsDiffer, match="in 2 partitions: .*-0 offset 0 is there 2 times"):
        flow.archive()
    with pytest.raises(PipelineRefused, match=r"in 2 folders: .*=1/batch=0 has 0 records of [1-9]"):
        flow.replay(f"{flow.topic}-copy")
    assert f"{flow.topic}-copy" not in flow.topics.names()
    sides = TopicSide(flow.cluster, [flow.topic]), ArchiveSide(str(flow.directory))
    found = pipelines.compare(flow.spark, *sides, CompareOptions(limit=1000))
    by_kind = [each.kind for each in found.differences]
    assert {kind: by_kind.count(kind) for kind in by_kind} == sizes
    with pytest.raises(RecordsDiffer, match="-0 offset 0 is doubled"):
        found.check()


def test_a_file_that_is_lost_where_the_topic_has_its_records_no_more_is_found(flow: Flow) -> None:
    flow.archive()
    lost = next(file for file in flow.files() if "partition=0" in str(file))
    lost.write_bytes(b"")
    flow.topics.delete_before(flow.topic, flow.topics.end(flow.topic, 0))
    with pytest.raises(PipelineRefused, match="=0/batch=0 has 0 records of [1-9]"):
        flow.archive()


def test_a_record_that_was_changed_in_a_file_is_found(flow: Flow) -> None:
    flow.archive()
    changed = next(file for file in flow.files() if "partition=1" in str(file))
    table = pq.ParquetFile(changed).read()
    values = table.column("value").to_pylist()
    values[0] = b"something else"
    column = pa.array(values, table.schema.field("value").type)
    at = table.schema.get_field_index("value")
    pq.write_table(table.set_column(at, table.schema.field("value"), column), changed)
    for checksum in changed.parent.glob(".*.crc"):
        checksum.unlink()
    assert flow.archive().records == 0  # It compares offsets alone.
    wrong = rf"in 1 folders: .*=1/batch=0 has {len(values)} records, which are not all those"
    with pytest.raises(PipelineRefused, match=wrong):
        flow.replay(f"{flow.topic}-copy")
    assert f"{flow.topic}-copy" not in flow.topics.names()
    # As it was written without whole records.
    for kept in flow.directory.glob("_batches/*/*.json"):
        kept.write_text(re.sub(r',"record_(low|high)":\d+', "", kept.read_text()))
        kept.with_name(f".{kept.name}.crc").unlink(missing_ok=True)
    assert flow.replay(f"{flow.topic}-copy").records == len(RECORDS)


def test_a_topic_that_was_made_anew_is_refused(flow: Flow) -> None:
    flow.archive()
    flow.topics.delete(flow.topic)
    flow.topics.create(PARTITIONS, name=flow.topic)
    flow.topics.send(flow.topic, [*RECORDS, *RECORDS[:10]])
    with pytest.raises(PipelineRefused, match=f"a topic {flow.topic} that is gone.*directory"):
        flow.archive()


@pytest.mark.long
def test_a_topic_of_others_is_refused(flow: Flow) -> None:
    flow.archive()
    with pytest.raises(PipelineRefused, match="did not write"):
        flow.replay(flow.topic)
    with pytest.raises(PipelineRefused, match="has no topic dogs"):
        pipelines.replay(
            flow.spark,
            ReplayOptions(directory=str(flow.directory), target=flow.cluster, topics=["dogs"]),
        )
    shutil.rmtree(flow.directory / "_checkpoint")
    with pytest.raises(PipelineRefused, match="bring the checkpoint back"):
        flow.archive()


def test_order_counts_within_a_partition_or_a_key(spark: SparkSession, topics: Topics) -> None:
    one, moved, spread = topics.create(1), topics.create(1), topics.create(2)
    records = [Given(b"%d" % n, b"key %d" % (n % 2), 0, n + 1) for n in range(6)]
    topics.send(one, records)
    topics.send(moved, [records[0], records[2], records[1], *records[3:]])
    topics.send(spread, [replace(each, partition=n % 2) for n, each in enumerate(records)])
    cluster = ClusterAddress(bootstrap_servers=topics.servers)

    def differences(other: str, **options: object) -> list[tuple[str, int | None]]:
        chosen = CompareOptions(**options)  # type: ignore[arg-type]
        sides = TopicSide(cluster, [one]), TopicSide(cluster, [other])
        found = pipelines.compare(spark, *sides, chosen)
        assert found.equal == (not found.differences)
        return [(each.kind, each.source_offset) for each in found.differences]

    assert differences(moved) == [("order", 1), ("order", 2)]
    assert differences(moved, by="key") == []
    assert differences(spread, by="key") == []
    assert ("missing", 1) in differences(spread)
