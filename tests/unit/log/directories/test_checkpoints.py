"""The small text files of a log directory, and of a log: damaged, cut, unreadable, or wrong."""

import logging
from pathlib import Path

import pytest

from barnabas.errors import StorageError
from barnabas.log.directories.checkpoints import Checkpoint, read_offsets, readable_offsets
from barnabas.log.directories.directory import LogDirectory
from barnabas.log.directories.inventory import THERE, KnownLog
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import create_log, open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch

DOGS, CATS = TopicPartition("dogs", 0), TopicPartition("cats", 11)
PLACE = "/d/dogs-0"
EPOCHS = f"{PLACE}/leader-epoch-checkpoint"
IDENTITY = f"{PLACE}/partition.metadata"
CONFIG = LogConfig(segment_bytes=500, index_interval_bytes=0)

DAMAGED = [
    pytest.param(data, id=repr(data))
    for data in (
        b"0\n2\ndogs 0 7\n",
        b"0\n2\ndogs 0 7\ncats 11 ",
        b"0\n2\ndogs 0 7\ncats 11 -5\n",
        b"0\n2\ndogs 0 7\ncats eleven 5\n",
        b"0\n3\ndogs 0 7\n\xff\xfe\0 1\ncats 11",
        b"0\n1\ndogs 0 7\n" + bytes(20),
        b"0\nmany\ndogs 0 7\n",
        b"1\n1\ndogs 0 7\n",
    )
]


def on_disk(data: bytes) -> MemoryDisk:
    disk = MemoryDisk()
    disk.write_file("file", data)
    return disk


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_checkpoint_does_not_count(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    assert read_offsets(on_disk(data), "file") == {}
    assert readable_offsets(on_disk(data), "file") is None
    assert [record.__dict__["file"] for record in caplog.records] == ["file"] * 2


@pytest.mark.parametrize("data", DAMAGED)
def test_a_log_whose_start_cannot_be_read_starts_where_the_inventory_says(
    tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "log-start-offset-checkpoint").write_bytes(data)
    (tmp_path / "dogs-0").mkdir()
    checkpoint = LogDirectory(RealDisk(), str(tmp_path)).look()[DOGS]
    known = KnownLog(THERE, "", epoch=0, start=5, end=10, segments="0")
    assert checkpoint.knowing(known).start_offset == 5
    assert checkpoint.knowing(None).start_offset == 0, (
        "a row may hide records, and none can be lost"
    )


def test_one_that_cannot_be_read_is_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "recovery-point-offset-checkpoint").mkdir()
    (tmp_path / "dogs-0").mkdir()
    (tmp_path / ".kafka_cleanshutdown").touch()
    found = LogDirectory(RealDisk(), str(tmp_path)).look()
    assert found == {DOGS: Checkpoint(0, 0, clean=True, high_watermark=-1)}
    assert "Is a directory" in str(caplog.records[0].__dict__["why"])


def test_a_directory_knows_of_each_partition_what_its_files_say(tmp_path: Path) -> None:
    (tmp_path / "recovery-point-offset-checkpoint").write_text("0\n1\ndogs 0 7\n")
    (tmp_path / "replication-offset-checkpoint").write_text("0\n2\ndogs 0 8\ncats 11 3\n")
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\ndogs 0 2\n")
    for name in ("dogs-0", "cats-11"):
        (tmp_path / name).mkdir()
    assert LogDirectory(RealDisk(), str(tmp_path)).look() == {
        DOGS: Checkpoint(7, 2, clean=False, high_watermark=8),
        CATS: Checkpoint(0, 0, clean=False, high_watermark=3),
    }


# --- Beside the segments -------------------------------------------------------------------------


def stopped() -> MemoryDisk:
    """Four batches of a record in each segment; epochs 2, 3 and 7 begin at 0, 3 and 6."""
    disk = MemoryDisk()
    log = create_log(disk, DOGS, PLACE, CONFIG, b"i" * 16)
    for number in range(10):
        epoch = (2, 3, 7, 7)[number // 3]
        log.append(memoryview(make_batch(size=100)), leader_epoch=epoch, now_ms=0)
    log.close(clean=True)
    assert disk.read_file(EPOCHS) == RIGHT
    return disk


RIGHT = b"0\n3\n2 0\n3 3\n7 6\n"


def opened(disk: MemoryDisk, *, clean: bool = True, point: int = 10) -> PartitionLog:
    return open_log(disk, DOGS, PLACE, CONFIG, Checkpoint(point, 0, clean=clean))


def answers(log: PartitionLog) -> list[tuple[int, int]]:
    return [log.end_offset_for_epoch(epoch) for epoch in range(9)]


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 20,
        b"0\n3\n2 0\n3 3\n7 6",
        b"0\n3\n2 0\n3 3\n",
        b"0\n2\n2 0\n3 3\n",
        b"0\n0\n",
        b"1\n3\n2 0\n3 3\n7 6\n",
        b"0\n3\n2 0\n3 8\n7 6\n",
        b"0\n3\n2 0\n8 3\n7 6\n",
        b"0\n3\n2 0\n3 3\n7 60000\n",
        b"0\n3\n2 0\n3 3\n7 -6\n",
        b"0\n3\n2 0\n3 4\n7 6\n",
        b"0\n3\n2 0\n3 3\n7 5\n",
        b"0\n3\n2 0\n3 2\n7 9\n",
        b"0\n2\n2 0\n7 6\n",
        b"0\n3\n2 2\n3 3\n7 6\n",
        b"0\n1\n7 6\n",
        b"0\n3\n2 0\n3 3\n2147483647 6\n",
        b"0\n3\n2 0\n3 3\n99999999999 6\n",
        b"0\n4\n2 0\n3 3\n7 6\n9 8\n",
    ],
)
def test_leader_epochs_that_the_file_has_not_right_are_made_again_from_the_log(
    data: bytes, caplog: pytest.LogCaptureFixture, *, clean: bool
) -> None:
    disk = stopped()
    disk.write_file(EPOCHS, data)
    log = opened(disk, clean=clean)
    log.lead(max(log.leader_epoch, 0))
    assert (log.failure, log.leader_epoch) == (None, 7)
    assert answers(log) == answers(opened(stopped()))
    assert [record.__dict__["file"] for record in caplog.records] == [EPOCHS]
    assert disk.read_file(EPOCHS) == RIGHT
    log.append(memoryview(make_batch(size=100)), leader_epoch=8, now_ms=0)
    assert log.epochs.entries()[-1] == (8, 10)


def test_epochs_are_found_when_the_last_segment_is_empty() -> None:
    disk = stopped()
    log = opened(disk)
    log.roll(0)
    log.close(clean=True)
    disk.remove(EPOCHS)
    assert opened(disk).epochs.entries() == [(2, 0), (3, 3), (7, 6)]


def test_right_ones_are_not_written_again(caplog: pytest.LogCaptureFixture) -> None:
    disk = stopped()
    before = disk.files[EPOCHS]
    with caplog.at_level(logging.INFO, logger="barnabas.log"):
        log = opened(disk)
        answers(log)
    assert disk.files[EPOCHS] is before
    assert caplog.records == []


class Unreadable(MemoryDisk):
    """Two files cannot be read until they were removed."""

    def __init__(self, disk: MemoryDisk) -> None:
        super().__init__()
        self.files = disk.files
        self.broken = {EPOCHS, IDENTITY}

    def read_file(self, path: str) -> bytes:
        if path in self.broken:
            raise StorageError(f"cannot read {path}: Input/output error")
        return super().read_file(path)

    def remove(self, path: str) -> None:
        super().remove(path)
        self.broken.discard(path)


def test_files_that_cannot_be_read_are_replaced() -> None:
    disk = Unreadable(stopped())
    log = opened(disk)
    assert log.failure is None
    assert log.epochs.entries() == [(2, 0), (3, 3), (7, 6)]
    assert disk.read_file(EPOCHS) == RIGHT
    (note,) = log.losses.notes
    assert f"cannot read {IDENTITY}: Input/output error; it gets the id of the topic" in note
    assert log.topic_id == bytes(16)
