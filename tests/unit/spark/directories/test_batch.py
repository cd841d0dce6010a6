"""Directories that ten releases of Kafka and a Kafka 0.7 wrote: all columns, in any number of tasks."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType

from barnabas.records.messages07.message07 import encode_set
from barnabas.spark.directories.batch import directory_reader
from barnabas.spark.directories.errors import NotInDirectory, UnreadableLog
from barnabas.spark.errors import OptionError
from tests.unit.spark.directories.log_files import Row, batches, committed, read, reader, write_log

VECTORS = Path(__file__).parents[3] / "vectors"
RELEASES = sorted((VECTORS / "logs").glob("kafka-*"))
WAYS: list[Mapping[str, int]] = [
    {}, {"splitBytes": 300}, {"minPartitions": 20}, {"maxRecordsPerPartition": 3}, {"fetchBytes": 1024},
]  # fmt: skip


def raw(text: str | None) -> bytes | None:
    return None if text is None else text.encode("latin-1")


def cells(row: Row) -> tuple[Any, ...]:
    time = round(row["timestamp"].timestamp() * 1000)
    headers = [(each["key"], each["value"]) for each in row["headers"] or ()]
    return row["partition"], row["offset"], time, row["key"], row["value"], headers


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: "".join(way) or "plain")
def test_records_equal_the_manifest(release: Path, way: Mapping[str, int]) -> None:
    known = json.loads((release / "records.json").read_text())
    expected = [
        (place, at, -1 if time is None else time, raw(key), raw(value), [(k, raw(v)) for k, v in headers])
        for place, at, time, key, value, headers in known["records"]
    ]  # fmt: skip
    rows = read(reader(release, subscribe="corpus", includeHeaders="true", **way))
    assert sorted(map(cells, rows)) == sorted(expected)
    assert {row["topic"] for row in rows} == {"corpus"}


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_committed_records_leave_out_what_was_aborted(release: Path) -> None:
    """The values of the corpus name their group: some groups were aborted."""
    everything = read(reader(release, subscribe="corpus"))
    kept = committed(release, subscribe="corpus", splitBytes=300)
    gone = {row["value"] for row in everything} - {row["value"] for row in kept}
    assert all(b"txn-aborted" in value for value in gone)
    assert not [row for row in kept if b"txn-aborted" in (row["value"] or b"")]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "".join(way) or "plain")
def test_messages_of_07(way: Mapping[str, int]) -> None:
    known = json.loads((VECTORS / "logs07" / "records.json").read_text())
    rows = read(reader(VECTORS / "logs07", **way))
    expected = [(place, at + inner, raw(text)) for place, at, inner, _, text in known["messages"]]
    found = [(row["partition"], row["offset"], row["value"]) for row in rows]
    assert sorted(found) == sorted(expected)
    assert {(row["key"], row["timestampType"]) for row in rows} == {(None, 0)}


def test_a_topic_that_is_not_there_is_named(tmp_path: Path) -> None:
    write_log(tmp_path / "here-0", {})
    for options in ({"subscribe": "gone"}, {"assign": '{"gone":[1]}'}):
        with pytest.raises(NotInDirectory, match=r"BARNABAS_NO_TOPIC.*gone.*topics there: here"):
            reader(tmp_path, **options).partitions()
    assert not reader(tmp_path, subscribePattern="gone.*").partitions()


def test_columns_and_a_schema_exclude_each_other() -> None:
    with pytest.raises(OptionError, match="'columns': cannot be together"):
        directory_reader({"path": "/a", "columns": "key"}, StructType().add("value", "binary"))


def test_a_segment_that_is_lost_amid_a_log_is_a_loss(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_log(tmp_path / "t-0", {0: batches(0, 2), 6: batches(6, 2), 12: batches(12, 1)})
    for base in (0, 6, 12):
        (path / f"{base:020d}.index").touch()
    assert len(read(reader(path))) == 15
    (path / f"{6:020d}.log").unlink()
    with pytest.raises(
        UnreadableLog, match="the segment that .*/0*6.index is the index of is lost"
    ):
        read(reader(path))
    assert len(read(reader(path, failOnDataLoss=False))) == 9
    assert "0006.index" in caplog.text


def three_segments(tmp_path: Path) -> Path:
    """The directory of a partition whose middle segment, offsets 6 to 11, is lost with its index."""
    whole = {0: batches(0, 2), 6: batches(6, 2), 12: batches(12, 1)}
    path = write_log(tmp_path / "t-0", whole)
    assert len(read(reader(tmp_path))) == 15
    (path / f"{6:020d}.log").unlink()
    return path


def test_a_segment_that_is_lost_with_its_index_is_a_loss_where_nothing_was_compacted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    three_segments(tmp_path)
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n1\nother 0 7\n")
    with pytest.raises(
        UnreadableLog, match="t-0 has no records of offsets 6 to 11: .* starts with 6 is lost"
    ):
        read(reader(tmp_path))
    assert len(read(reader(tmp_path, failOnDataLoss=False))) == 9
    assert "records are lost" in caplog.text


def test_compaction_may_leave_gaps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    three_segments(tmp_path)
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n1\nt 0 12\n")
    assert len(read(reader(tmp_path))) == 9
    assert not caplog.text


def test_a_gap_that_nothing_explains_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = three_segments(tmp_path)
    assert len(read(reader(path))) == 9
    assert "offsets 6 to 11" in caplog.text
    assert "or was compacted" in caplog.text


def test_deleted_records_are_no_gap(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    three_segments(tmp_path)
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n0\n")
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\nt 0 12\n")
    assert len(read(reader(tmp_path))) == 3
    assert not caplog.text


def test_the_lost_segment_of_a_log_of_07_is_a_loss(tmp_path: Path) -> None:
    path = tmp_path / "t-0"
    path.mkdir()
    piece = encode_set([b"rex", b"fido"])
    for number in (0, 1, 2):
        (path / f"{number * len(piece):020d}.kafka").write_bytes(piece)
    assert len(read(reader(tmp_path))) == 6
    (path / f"{len(piece):020d}.kafka").unlink()
    with pytest.raises(UnreadableLog, match=f"offsets {len(piece)} to {2 * len(piece) - 1}: "):
        read(reader(tmp_path))
