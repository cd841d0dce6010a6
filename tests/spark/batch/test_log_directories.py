"""format("barnabas-log"): directories without a broker, beside what a broker serves of the same ones."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from barnabas.testing import EmbeddedBroker
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

VECTORS = Path(__file__).parents[2] / "vectors"
RELEASES = sorted((VECTORS / "logs").glob("kafka-*"))
ISOLATION = "kafka.isolation.level"


def directory(spark: SparkSession, path: Path, schema: str = "", /, **options: object) -> DataFrame:
    reader = spark.read.format("barnabas-log")
    if schema:
        reader = reader.schema(schema)
    return reader.options(**{name: str(value) for name, value in options.items()}).load(str(path))


def sorted_rows(frame: DataFrame) -> list[Row]:
    return sorted(frame.collect(), key=lambda row: (row.partition, row.offset))


def owner(path: Path) -> str:
    """The node that a directory belongs to; any where it does not say."""
    file = path / "meta.properties"
    lines = file.read_text().splitlines() if file.exists() else []
    ids = [line.partition("=")[2] for line in lines if line.startswith(("broker.id=", "node.id="))]
    return ids[0] if ids else "1"


@pytest.mark.parametrize(
    "release",
    [
        each
        if each.name in {"kafka-0.8.2.2", "kafka-2.8.2"}
        else pytest.param(each, marks=pytest.mark.long)
        for each in RELEASES
    ],
    ids=lambda path: path.name,
)
def test_what_a_broker_serves_of_the_same_directory(
    spark: SparkSession, release: Path, tmp_path: Path
) -> None:
    """All columns, headers among them; all records, and those that were committed."""
    copy = shutil.copytree(release, tmp_path / "log")
    known = json.loads((release / "records.json").read_text())
    ours = {
        level: sorted_rows(
            directory(
                spark, release, subscribe="corpus", includeHeaders="true", splitBytes=400,
                **{ISOLATION: level},
            )
        )
        for level in ("read_uncommitted", "read_committed")
    }  # fmt: skip
    assert len(ours["read_uncommitted"]) == len(known["records"])
    with EmbeddedBroker({"node.id": owner(copy)}, data_dir=copy) as broker:
        topics = Topics(broker.bootstrap_servers)
        for level, rows in ours.items():
            options: Mapping[str, object] = {"includeHeaders": True, ISOLATION: level}
            served = sorted_rows(topics.batch(spark, "corpus", **options))
            assert rows == served


def test_a_directory_of_07(spark: SparkSession) -> None:
    known = json.loads((VECTORS / "logs07" / "records.json").read_text())
    rows = sorted_rows(directory(spark, VECTORS / "logs07", minPartitions=9))
    found = [(row.partition, row.offset, bytes(row.value).decode("latin-1")) for row in rows]
    assert found == sorted(
        (place, at + inner, text) for place, at, inner, _, text in known["messages"]
    )


def test_columns_paths_and_counts(spark: SparkSession) -> None:
    path = RELEASES[-1]
    frame = directory(spark, path, subscribe="corpus")
    assert frame.columns == [
        "key", "value", "topic", "partition", "offset", "timestamp", "timestampType",
    ]  # fmt: skip
    known = json.loads((path / "records.json").read_text())["records"]
    values = directory(spark, path, "value string, partition int", subscribe="corpus")
    texts = {row[4] for row in known if row[4] is not None and row[4].isascii()}
    assert texts <= {row.value for row in values.collect()}
    # Of a directory's topics Kafka's own are left out unless they are named.
    assert directory(spark, path, "offset long").count() == len(known)
    assert directory(spark, path, "topic string").count() == len(known)
    both = spark.read.format("barnabas-log").schema("topic string")
    parts = [str(path / "corpus-0"), str(path / "corpus-1")]
    assert both.load(parts).count() == len(known)
    assert directory(spark, path, "offset long", subscribe="__consumer_offsets").count() > 0


def test_ranges_by_time_and_offset(spark: SparkSession) -> None:
    path = RELEASES[-1]
    rows = sorted_rows(directory(spark, path, "partition int, offset long, timestamp timestamp"))
    times = sorted(round(row.timestamp.timestamp() * 1000) for row in rows)
    middle = times[len(times) // 2]
    late = directory(spark, path, "partition int, offset long", startingTimestamp=middle)
    early = directory(spark, path, "partition int, offset long", endingTimestamp=middle)
    both = sorted_rows(early) + sorted_rows(late)
    assert sorted(both) == sorted((row.partition, row.offset) for row in rows)
    assert 0 < early.count() < len(rows)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"subscribe": "gone"}, "[BARNABAS_NO_TOPIC] no directory of gone"),
        ({"kafka.bootstrap.servers": "x:1"}, "[BARNABAS_OPTION] option 'kafka.bootstrap.servers'"),
        ({"subscribe": "corpus", "startingTimestamp": 9 * 10**12}, "[BARNABAS_OFFSETS]"),
    ],
)
def test_mistakes_are_named(spark: SparkSession, options: dict[str, object], words: str) -> None:
    with pytest.raises(PySparkException) as raised:
        directory(spark, RELEASES[-1], "", **options).collect()
    assert words in str(raised.value)
    assert "Traceback" not in str(raised.value)


def test_damage_is_an_error_with_file_and_byte(spark: SparkSession, tmp_path: Path) -> None:
    copy = shutil.copytree(RELEASES[-1], tmp_path / "log")
    file = copy / "corpus-0" / f"{0:020d}.log"
    file.write_bytes(file.read_bytes()[:-3] + b"xyz")
    with pytest.raises(PySparkException) as raised:
        directory(spark, copy, subscribe="corpus").collect()
    assert f"[BARNABAS_LOG] {file} is damaged: at byte " in str(raised.value)
    assert "Traceback" not in str(raised.value)


def test_a_stream_is_refused(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="barnabas-log is for spark.read") as raised:
        spark.readStream.format("barnabas-log").load(str(RELEASES[-1])).writeStream.format(
            "noop"
        ).start().awaitTermination()
    assert "Traceback" not in str(raised.value)
