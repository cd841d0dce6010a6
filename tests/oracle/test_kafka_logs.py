"""Logs that real Kafka wrote: we serve them, and write the same files for the same batches."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from barnabas.log.directories.checkpoints import NO_CHECKPOINT
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.producers.producer_snapshot import decode_snapshot
from barnabas.log.producers.producer_state import AppendedBatch
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import BatchHeader, crc_is_right, stamp, walk
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition

VECTORS = Path(__file__).parents[1] / "vectors" / "logs"
CONFIG = LogConfig(index_interval_bytes=256, segment_index_bytes=4096, retention_ms=-1)
FOREVER = 1 << 62

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.parametrize("version", ["3.9.2", "4.3.0"]),
    pytest.mark.parametrize("partition", [0, 1]),
]


def expected(version: str, partition: int) -> list[dict[str, Any]]:
    known = json.loads((VECTORS / f"kafka-{version}" / "expected.json").read_text())
    rows = [dict(zip(known["columns"], row, strict=True)) for row in known["batches"]]
    return [row for row in rows if row["partition"] == partition]


def opened(path: Path) -> LogManager:
    settings = LogSettings(1, [str(path)])
    manager = LogManager(RealDisk(), SystemClock(), SystemEntropy(), settings, lambda _: CONFIG)
    manager.open()
    return manager


def read_all(log: PartitionLog, max_bytes: int) -> list[tuple[BatchHeader, bytes]]:
    offset = log.start_offset
    batches: list[tuple[BatchHeader, bytes]] = []
    while True:
        records = log.read(offset, max_bytes, max_offset=FOREVER, min_one=True).records
        if records is None:
            return batches
        data = records.file.read(records.position, records.size)
        for header in walk(data):
            assert crc_is_right(data, header)
            batches.append((header, data[header.position : header.end]))
            offset = header.next_offset


def assert_served(log: PartitionLog, version: str, partition: int, max_bytes: int) -> None:
    rows = expected(version, partition)
    batches = [header for header, _ in read_all(log, max_bytes)]
    for name, column in [
        ("first_offset", [h.base_offset for h in batches]),
        ("last_offset", [h.last_offset for h in batches]),
        ("size", [h.size for h in batches]),
        ("crc", [h.crc for h in batches]),
        ("max_timestamp", [h.max_timestamp for h in batches]),
        ("producer_id", [h.producer_id for h in batches]),
        ("base_sequence", [h.base_sequence for h in batches]),
        ("control", [h.control for h in batches]),
    ]:
        assert column == [row[name] for row in rows], name


@pytest.mark.parametrize("max_bytes", [1, 700, 1 << 20])
def test_every_batch_is_served(
    tmp_path: Path, version: str, partition: int, max_bytes: int
) -> None:
    shutil.copytree(VECTORS / f"kafka-{version}", tmp_path / "log")
    manager = opened(tmp_path / "log")
    log = manager.get(TopicPartition("corpus", partition))
    assert log is not None
    assert (log.start_offset, log.end_offset, log.leader_epoch) == (0, 72, 0)
    assert log.topic_id != bytes(16)
    assert_served(log, version, partition, max_bytes)
    manager.close()


def test_recovery_makes_the_same_indexes(tmp_path: Path, version: str, partition: int) -> None:
    source = VECTORS / f"kafka-{version}" / f"corpus-{partition}"
    copy = tmp_path / f"corpus-{partition}"
    shutil.copytree(source, copy)
    for path in [*copy.glob("*.index"), *copy.glob("*.timeindex"), *copy.glob("*.snapshot")]:
        path.unlink()
    log = open_log(RealDisk(), TopicPartition("corpus", partition), str(copy), CONFIG)
    assert (log.end_offset, log.losses.bytes) == (72, 0)
    assert_served(log, version, partition, 1 << 20)
    log.close(clean=True)
    assert_same_files(source, copy)


def test_the_same_batches_make_the_same_files(tmp_path: Path, version: str, partition: int) -> None:
    source = VECTORS / f"kafka-{version}" / f"corpus-{partition}"
    place = TopicPartition("corpus", partition)
    theirs = open_log(RealDisk(), place, str(shutil.copytree(source, tmp_path / "a")), CONFIG)
    (tmp_path / "b").mkdir()
    ours = open_log(RealDisk(), place, str(tmp_path / "b"), CONFIG, NO_CHECKPOINT)
    bases = {segment.base_offset for segment in theirs.segments}
    for header, data in read_all(theirs, 1 << 20):
        if header.base_offset in bases:
            ours.roll(0)
        batch = bytearray(data)
        stamp(batch, len(batch), -1, -1)
        info = ours.append(memoryview(batch), leader_epoch=0, now_ms=0, internal=True)
        assert info.base_offset == header.base_offset
        ours.write_pending()
    ours.close(clean=True)
    theirs.close(clean=False)
    assert_same_files(source, tmp_path / "b")


def assert_same_files(theirs: Path, ours: Path) -> None:
    names = {path.name for path in theirs.iterdir()} - {"partition.metadata"}
    for name in sorted(names):
        if name.endswith(".txnindex"):
            continue
        if name.endswith(".snapshot"):
            if (ours / name).exists():
                assert producers(ours / name) == producers(theirs / name), name
            continue
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name
    assert (ours / "00000000000000000072.snapshot").exists()


def producers(path: Path) -> dict[int, tuple[int, AppendedBatch | None, int, int, int]]:
    entries = decode_snapshot(path.read_bytes())
    assert entries is not None
    return {
        entry.producer_id: (
            entry.epoch,
            entry.last,
            entry.last_timestamp,
            entry.coordinator_epoch,
            entry.transaction_start,
        )
        for entry in entries
    }


def test_records_are_found_by_their_time(tmp_path: Path, version: str, partition: int) -> None:
    known = json.loads((VECTORS / f"kafka-{version}" / "expected.json").read_text())["records"]
    times = [(time, offset) for place, offset, time in known if place == partition]
    shutil.copytree(VECTORS / f"kafka-{version}", tmp_path / "log")
    manager = opened(tmp_path / "log")
    log = manager.get(TopicPartition("corpus", partition))
    assert log is not None
    # Markers have times too, of the wall clock: later than those of all records.
    for wanted in sorted({time + d for time, _ in times for d in (-1, 0, 1)}):
        found = log.offset_for_timestamp(wanted)
        first = min((offset for time, offset in times if time >= wanted), default=None)
        assert found is not None
        markers = [r["first_offset"] for r in expected(version, partition) if r["control"]]
        assert found.offset == min([*markers, *([] if first is None else [first])])
    newest = log.offset_of_max_timestamp()
    rows = expected(version, partition)
    greatest = max(row["max_timestamp"] for row in rows)
    assert newest is not None
    assert newest.timestamp == greatest
    assert log.offset_for_timestamp(greatest) == newest
    assert log.offset_for_timestamp(greatest + 1) is None
    manager.close()
