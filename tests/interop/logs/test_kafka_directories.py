"""`barnabas serve` on directories that ten releases of Kafka left, read by clients of today."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import confluent_kafka
import pytest
from confluent_kafka import TopicPartition
from kafka import KafkaConsumer
from kafka import TopicPartition as PythonPartition

from barnabas import Admin, Consumer, Resource
from barnabas.client.sync.ranges import RangeReader
from barnabas.records.columns.columns import ColumnSelection
from tests.commands.served import serving

VECTORS = Path(__file__).parents[2] / "vectors" / "logs"
VERSIONS = sorted(path.name.removeprefix("kafka-") for path in VECTORS.glob("kafka-*"))
TOPIC = "corpus"
SECONDS = 30.0

pytestmark = pytest.mark.interop

Row = tuple[int, int, int, bytes | None, bytes | None]


class Directory(NamedTuple):
    """A served directory: partition, offset, timestamp (-1: none), key, value of every record."""

    version: str
    address: str
    rows: list[Row]


def raw(text: str | None) -> bytes | None:
    return None if text is None else text.encode("latin-1")


@pytest.fixture(scope="module", params=VERSIONS)
def directory(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Directory]:
    source = VECTORS / f"kafka-{request.param}"
    path = shutil.copytree(source, tmp_path_factory.mktemp("kafka") / "log")
    records = json.loads((source / "records.json").read_text())["records"]
    rows = [
        (place, offset, -1 if time is None else time, raw(key), raw(value))
        for place, offset, time, key, value, _ in records
    ]
    with serving("--data-dir", str(path)) as served:
        yield Directory(request.param, served.servers, sorted(rows))


def test_the_topic_is_there_and_nothing_of_it_will_expire(directory: Directory) -> None:
    with Admin({"bootstrap.servers": directory.address}) as admin:
        assert TOPIC in admin.list_topics()
        assert len(admin.describe_topics([TOPIC])[TOPIC].partitions) == 2
        properties = admin.describe_configs(Resource.TOPIC, TOPIC)
        assert [properties[name].value for name in ("retention.ms", "retention.bytes")] == [
            "-1",
            "-1",
        ]


def test_librdkafka(directory: Directory) -> None:
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": directory.address,
            "group.id": "corpus-group",
            "isolation.level": "read_uncommitted",
            "enable.auto.commit": False,
            "check.crcs": True,
        }
    )
    places = [TopicPartition(TOPIC, place, 0) for place in (0, 1)]
    consumer.assign(places)
    rows: list[Row] = []
    while len(rows) < len(directory.rows):
        message = consumer.poll(SECONDS)
        assert message is not None, f"{len(rows)} records came"
        assert message.error() is None
        kind, time = message.timestamp()
        time = -1 if kind == confluent_kafka.TIMESTAMP_NOT_AVAILABLE else time
        place, offset = message.partition(), message.offset()
        rows.append((place, offset, time, message.key(), message.value()))
    assert sorted(rows) == directory.rows
    if not directory.version.startswith(("0.8.0", "0.8.1")):
        # What the group committed to that Kafka is known too.
        assert [each.offset for each in consumer.committed(places, timeout=SECONDS)] == [7, 11]
    consumer.close()


def test_kafka_python(directory: Directory) -> None:
    if directory.version.startswith(("0.8.2", "0.9")):
        pytest.skip("it needs another library for the lz4 of magic 0")
    consumer: Any = KafkaConsumer(
        bootstrap_servers=directory.address,
        consumer_timeout_ms=1000 * SECONDS,
        isolation_level="read_uncommitted",
    )
    consumer.assign([PythonPartition(TOPIC, place) for place in (0, 1)])
    consumer.seek_to_beginning()
    rows: list[Row] = []
    for record in consumer:
        time = -1 if record.timestamp is None else record.timestamp
        rows.append((record.partition, record.offset, time, record.key, record.value))
        if len(rows) == len(directory.rows):
            break
    consumer.close()
    assert sorted(rows) == directory.rows


def test_our_driver(directory: Directory) -> None:
    with Consumer({"bootstrap.servers": directory.address}) as consumer:
        consumer.assign([(TOPIC, 0), (TOPIC, 1)])
        consumer.seek_to_beginning()
        rows: list[Row] = []
        while len(rows) < len(directory.rows):
            records = consumer.poll(SECONDS, 1000)
            assert records, f"{len(rows)} records came"
            rows += [(r.partition, r.offset, r.timestamp, r.key, r.value) for r in records]
        assert sorted(rows) == directory.rows


def test_our_range_reader(directory: Directory) -> None:
    """What a task of the Spark connector reads with."""
    reader = RangeReader({"bootstrap.servers": directory.address}, fetch_bytes=700)
    wanted = ColumnSelection.OFFSET | ColumnSelection.TIMESTAMP
    for place in (0, 1):
        reported = [row[1:3] for row in directory.rows if row[0] == place]
        last = reported[-1][0]
        rows: list[tuple[int, int]] = []
        for columns in reader.read(TOPIC, place, 3, last, wanted):
            assert columns.offsets is not None
            assert columns.timestamps is not None
            rows += zip(columns.offsets, columns.timestamps, strict=True)
        assert rows == [row for row in reported if 3 <= row[0] < last]
        assert reader.count(TOPIC, place, 0, last + 1) == len(reported)
    reader.close()
