"""flush.messages: readers see what is on stable storage; syncs hold up no other partition."""

import pytest

from barnabas.errors import StorageError
from barnabas.log.append_results import NOTHING
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch

pytestmark = pytest.mark.kernels


def a_log(disk: MemoryDisk, flush_messages: int) -> PartitionLog:
    config = LogConfig(flush_messages=flush_messages)
    return open_log(disk, TopicPartition("dogs", 0), "/dogs-0", config)


def append(log: PartitionLog, count: int = 1) -> None:
    log.append(memoryview(make_batch(count)), leader_epoch=0, now_ms=5_000)
    log.write_pending()


def test_who_listens_to_nothing_waits_for_the_sync() -> None:
    log = a_log(MemoryDisk(), 2)
    append(log)
    assert (log.written_end, log.recovery_point) == (1, 0)
    append(log)
    assert (log.written_end, log.recovery_point) == (2, 2)


def test_records_are_seen_once_synced_and_those_written_meanwhile_share_the_next_sync() -> None:
    disk = MemoryDisk()
    log = a_log(disk, 1)
    moved: list[int] = []
    log.end_updater.on_moved = lambda: moved.append(log.written_end)
    append(log, 3)
    append(log)
    append(log)
    assert (log.end_offset, log.file_end, log.written_end) == (5, 5, 0)
    assert log.written_end < log.file_end
    assert log.read(0, 1 << 20, max_offset=1 << 62, min_one=True) == NOTHING
    assert len(disk.waiting) == 1
    disk.end_syncs()
    assert (moved, len(disk.waiting)) == ([3], 1)
    found = log.read(0, 1 << 20, max_offset=1 << 62, min_one=True).records
    assert found is not None
    assert found.size == len(make_batch(3))  # and nothing of what is not to be seen yet
    disk.end_syncs()
    assert (moved, log.written_end, log.recovery_point) == ([3, 5], 5, 5)
    assert not disk.waiting
    assert log.written_end == log.file_end


def test_fewer_than_so_many_are_seen_at_once_unless_others_before_them_wait() -> None:
    disk = MemoryDisk()
    log = a_log(disk, 3)
    log.end_updater.on_moved = lambda: None
    append(log, 2)
    assert log.written_end == 2
    append(log, 2)
    append(log)
    assert log.written_end == 2
    disk.end_syncs()
    assert (log.written_end, log.recovery_point) == (5, 4)


def test_a_sync_that_fails_takes_the_log_offline_and_tells() -> None:
    disk = MemoryDisk()
    log = a_log(disk, 1)
    received: list[bool] = []
    log.end_updater.on_moved = lambda: received.append(log.failure is not None)
    append(log)
    disk.end_syncs(StorageError("the disk is gone"))
    assert received == [True]
    assert log.written_end == 0
    with pytest.raises(StorageError, match="the disk is gone"):
        append(log)


def test_a_segment_that_ends_while_a_sync_is_under_way_is_synced_as_well() -> None:
    disk = MemoryDisk()
    log = a_log(disk, 1)
    log.end_updater.on_moved = lambda: None
    append(log)
    append(log)
    log.roll(5_000)
    append(log)
    disk.end_syncs()
    disk.end_syncs()
    disk.end_syncs()
    assert not disk.waiting
    assert (log.written_end, log.recovery_point) == (3, 3)
    assert all(bytes(file.now) == file.kept for path, file in disk.files.items() if ".log" in path)


def test_what_a_kill_left_unsynced_is_synced_before_it_is_seen() -> None:
    disk = MemoryDisk()
    log = a_log(disk, 1)
    log.end_updater.on_moved = lambda: None
    append(log, 3)
    assert log.written_end == 0
    disk.killed()
    assert a_log(disk, 1).written_end == 3
    disk.power_cut(lambda _bound: 0)
    assert a_log(disk, 1).written_end == 3
