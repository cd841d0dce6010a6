"""What a start may trust of a log after a power cut: its recovery point, and what stands before it."""

from pathlib import Path

import pytest

from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch, make_marker

pytestmark = pytest.mark.kernels

PRODUCER = 3
TRANSACTIONAL = 0x10


def opened(disk: MemoryDisk, flush_messages: int, recovery_point: int = 0) -> PartitionLog:
    config = LogConfig(flush_messages=flush_messages)
    log = open_log(disk, TopicPartition("dogs", 0), "/dogs-0", config, Checkpoint(recovery_point))
    log.end_updater.on_moved = lambda: None
    return log


def append(log: PartitionLog, batch: bytearray) -> None:
    log.append(memoryview(batch), leader_epoch=0, now_ms=5_000, internal=True)
    log.write_pending()


def abort_something(log: PartitionLog) -> None:
    append(log, make_batch(producer=(PRODUCER, 0, 0), attributes=TRANSACTIONAL))
    append(log, make_marker(PRODUCER, 0, commit=False))


def test_an_aborted_transaction_is_as_safe_as_its_marker() -> None:
    disk = MemoryDisk()
    log = opened(disk, 1)
    abort_something(log)
    disk.end_syncs()
    disk.end_syncs()
    assert log.recovery_point == 2
    log.roll(5_000)
    disk.power_cut(lambda _bound: 0)
    again = opened(disk, 1, recovery_point=2)
    assert [one.producer_id for one in again.segments.first.aborted.from_offset(0)] == [PRODUCER]


def test_a_segment_is_looked_at_until_its_indexes_are_synced() -> None:
    log = opened(MemoryDisk(), 1 << 40)
    append(log, make_batch(3))
    log.flush()
    assert log.flushing.sure_point == log.recovery_point == 3
    log.roll(5_000)
    log.poll_syncs()
    assert (log.flushing.sure_point, log.recovery_point) == (2, 3)
    log.poll_syncs()
    assert log.flushing.sure_point == 3


def test_an_empty_log_is_sure_of_nothing() -> None:
    log = opened(MemoryDisk(), 1 << 40)
    log.flushing.begin(log.segments, 0, [], 0)
    assert log.flushing.sure_point == 0


def test_what_recovery_made_again_is_synced_with_what_counts() -> None:
    disk = MemoryDisk()
    log = opened(disk, 1)
    abort_something(log)
    disk.end_syncs()
    disk.end_syncs()
    disk.killed()
    for _ in range(2):
        again = opened(disk, 1, recovery_point=2)
        assert again.recovery_point == 2
        assert len(again.segments.active.aborted.from_offset(0)) == 1
        index = disk.files[f"{again.segments.active.stem}.txnindex"]
        assert bytes(index.now) == index.kept
        disk.power_cut(lambda _bound: 0)


def test_a_new_epoch_is_synced_with_the_next_records() -> None:
    """Not by itself: a broker that becomes the leader of a thousand partitions would wait for each."""
    disk = MemoryDisk()
    log = opened(disk, 1)
    append(log, make_batch(3))
    disk.end_syncs()
    disk.end_syncs()
    log.begin_epoch(1, 3)
    file = disk.files[log.epochs.path]
    assert bytes(file.now) != file.kept
    batch = make_batch(2)
    log.append(memoryview(batch), leader_epoch=1, now_ms=5_000, internal=True)
    log.write_pending()
    disk.end_syncs()
    disk.end_syncs()
    assert log.recovery_point == 5
    assert disk.files[log.epochs.path].kept == b"0\n2\n0 0\n1 3\n"


@pytest.mark.parametrize("clean", [True, False])
def test_a_new_epoch_without_records_survives_a_clean_close(*, clean: bool) -> None:
    disk = MemoryDisk()
    log = opened(disk, 1 << 40)
    append(log, make_batch(3))
    log.flush()
    log.begin_epoch(1, 3)
    log.close(clean=clean)
    disk.power_cut(lambda _bound: 0)
    again = opened(disk, 1 << 40, recovery_point=3)
    assert again.epochs.entries() == [(0, 0), (1, 3)] if clean else [(0, 0)]
    assert again.end_offset == 3


def test_an_index_that_was_removed_costs_no_log(tmp_path: Path) -> None:
    disk = RealDisk()
    directory = tmp_path / "dogs-0"
    directory.mkdir()
    place = TopicPartition("dogs", 0)
    log = open_log(disk, place, str(directory), LogConfig(), Checkpoint(0))
    append(log, make_batch(3))
    for index in directory.glob("*index"):
        index.unlink()
    log.flushing.begin(log.segments, log.end_offset, [], 0)
    log.flushing.wait()
    assert log.failure is None
    assert log.recovery_point == 3
    disk.close()
