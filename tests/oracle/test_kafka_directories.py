"""Log directories of every Kafka from 0.8.0 to 4.x: each record is read as its clients saw it."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import crc_is_right, walk
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.reading import decode_records
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.record_batches import make_batch

VECTORS = Path(__file__).parents[1] / "vectors" / "logs"
VERSIONS = sorted(path.name.removeprefix("kafka-") for path in VECTORS.glob("kafka-*"))
CONFIG = LogConfig(index_interval_bytes=256, segment_index_bytes=4096, retention_ms=-1)
FOREVER = 1 << 62

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.parametrize("version", VERSIONS),
    pytest.mark.parametrize("partition", [0, 1]),
]

Row = tuple[int, int | None, bytes | None, bytes | None, list[tuple[str, bytes | None]]]


@dataclass
class Known:
    """What the manifest of a directory says of one partition."""

    end: int
    rows: list[Row]
    batches: list[dict[str, Any]]


def known(version: str, partition: int) -> Known:
    printed = json.loads((VECTORS / f"kafka-{version}" / "records.json").read_text())
    rows = [
        (offset, time, raw(key), raw(value), [(name, raw(each)) for name, each in headers])
        for place, offset, time, key, value, headers in printed["records"]
        if place == partition
    ]
    batches = [dict(zip(printed["batch_columns"], row, strict=True)) for row in printed["batches"]]
    mine = [batch for batch in batches if batch["partition"] == partition]
    return Known(printed["log_ends"][partition], rows, mine)


def raw(text: str | None) -> bytes | None:
    """The manifest has one character for each byte."""
    return None if text is None else text.encode("latin-1")


def opened(path: Path) -> LogManager:
    owner = path / "meta.properties"
    text = owner.read_text() if owner.exists() else ""
    node = 1 if "node.id=1" in text else 0
    manager = LogManager(
        RealDisk(), SystemClock(), SystemEntropy(), LogSettings(node, [str(path)]), lambda _: CONFIG
    )
    manager.open()
    return manager


def copied(version: str, path: Path) -> Path:
    return Path(shutil.copytree(VECTORS / f"kafka-{version}", path / "log"))


def log_of(manager: LogManager, partition: int) -> PartitionLog:
    log = manager.get(TopicPartition("corpus", partition))
    assert log is not None
    return log


def read_all(log: PartitionLog, max_bytes: int) -> list[Row]:
    rows: list[Row] = []
    offset = log.start_offset
    while offset < log.end_offset:
        records = log.read(offset, max_bytes, max_offset=FOREVER, min_one=True).records
        assert records is not None, offset
        data = records.file.read(records.position, records.size)
        assert all(crc_is_right(data, header) for header in walk(data))
        found, after = decode_records(data, "corpus", 0, start=offset)
        assert after > offset
        offset = after
        rows += [(r.offset, r.timestamp, r.key, r.value, list(r.headers)) for r in found]
    return rows


def expected_rows(printed: Known) -> list[Row]:
    return [(row[0], -1 if row[1] is None else row[1], *row[2:]) for row in printed.rows]


@pytest.mark.parametrize("max_bytes", [1, 700, 1 << 20])
def test_every_record_is_read(tmp_path: Path, version: str, partition: int, max_bytes: int) -> None:
    printed = known(version, partition)
    manager = opened(copied(version, tmp_path))
    log = log_of(manager, partition)
    assert (log.start_offset, log.end_offset, log.losses.bytes) == (0, printed.end, 0)
    assert read_all(log, max_bytes) == expected_rows(printed)
    manager.close()


def test_any_record_is_found(tmp_path: Path, version: str, partition: int) -> None:
    printed = known(version, partition)
    manager = opened(copied(version, tmp_path))
    log = log_of(manager, partition)
    for offset in range(printed.end):
        records = log.read(offset, 1, max_offset=FOREVER, min_one=True).records
        assert records is not None
        batch = next(b for b in printed.batches if b["last_offset"] >= offset)
        assert (records.position, records.size) == (batch["position"], batch["size"])
    assert log.read(printed.end, 1, max_offset=FOREVER, min_one=True).records is None
    manager.close()


def test_it_is_the_same_after_a_kill_without_indexes(
    tmp_path: Path, version: str, partition: int
) -> None:
    path = copied(version, tmp_path)
    (path / ".kafka_cleanshutdown").unlink()
    for kind in ("index", "timeindex", "snapshot"):
        for each in path.glob(f"*/*.{kind}"):
            each.unlink()
    for each in path.glob("*checkpoint"):
        each.unlink()
    printed = known(version, partition)
    manager = opened(path)
    log = log_of(manager, partition)
    assert (log.end_offset, log.losses.bytes) == (printed.end, 0)
    assert read_all(log, 700) == expected_rows(printed)
    manager.close()
    manager = opened(path)
    assert read_all(log_of(manager, partition), 700) == expected_rows(printed)
    manager.close()


@pytest.mark.parametrize("left", [1, 20, 30])
def test_a_torn_end_is_cut_off(tmp_path: Path, version: str, partition: int, left: int) -> None:
    printed = known(version, partition)
    path = copied(version, tmp_path) / f"corpus-{partition}"
    segment = max(path.glob("*.log"))
    data = segment.read_bytes()
    segment.write_bytes(data + data[:left])
    log = open_log(RealDisk(), TopicPartition("corpus", partition), str(path), CONFIG)
    assert (log.end_offset, log.losses.bytes) == (printed.end, left)
    assert read_all(log, 1 << 20) == expected_rows(printed)
    log.close(clean=False)


def test_today_s_batches_go_behind_them(tmp_path: Path, version: str, partition: int) -> None:
    printed = known(version, partition)
    path = copied(version, tmp_path)
    manager = opened(path)
    log = log_of(manager, partition)
    for _ in range(3):
        log.append(memoryview(make_batch(2, size=200)), leader_epoch=log.leader_epoch, now_ms=2000)
        log.write_pending()
    manager.close()
    manager = opened(path)
    log = log_of(manager, partition)
    rows = read_all(log, 300)
    assert [row[0] for row in rows[len(printed.rows) :]] == list(
        range(printed.end, printed.end + 6)
    )
    assert rows[: len(printed.rows)] == expected_rows(printed)
    manager.close()


def test_records_are_found_by_their_time(tmp_path: Path, version: str, partition: int) -> None:
    printed = known(version, partition)
    manager = opened(copied(version, tmp_path))
    log = log_of(manager, partition)
    times = [(row[1], row[0]) for row in printed.rows if row[1] is not None]
    if not times:
        assert log.offset_for_timestamp(0) is None
        assert log.offset_of_max_timestamp() is None
    for time, offset in times:
        found = log.offset_for_timestamp(time)
        assert found is not None
        # Markers of transactions have times too, and are not in the manifest.
        first = min(each for when, each in times if when >= time)
        assert found.offset == first or (found.offset < offset and found.timestamp >= time)
    manager.close()


def test_a_whole_directory_in_one_call(version: str, partition: int) -> None:
    printed = known(version, partition)
    paths = sorted((VECTORS / f"kafka-{version}" / f"corpus-{partition}").glob("*.log"))
    columns = decode_columns(
        [path.read_bytes() for path in paths], wanted=ColumnSelection.ALL, start=0
    )
    assert columns.offsets is not None
    assert columns.offsets.tolist() == [row[0] for row in printed.rows]
    assert columns.next_offset == printed.end
    assert len(columns.timestamp_types) == 1
    assert columns.timestamp_types[0][1] == (-1 if printed.rows[0][1] is None else 0)
