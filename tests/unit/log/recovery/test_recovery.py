"""After an unclean stop: what is torn goes, with all behind it; what is whole stays, gap or not."""

import pytest

from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import create_log, open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.segment import Segment
from barnabas.records.batches.batch import walk
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch
from tests.wires.golden07 import M0, M1

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
PLACE = "/d/dogs-0"
SMALL = LogConfig(segment_bytes=250)
COMPACTED = LogConfig(segment_bytes=250, cleanup_policy=frozenset({"compact"}))


def left_by_a_kill(batches: int = 6) -> MemoryDisk:
    """Two batches of one record and 100 bytes in each segment."""
    disk = MemoryDisk()
    log = create_log(disk, DOGS, PLACE, SMALL, bytes(16))
    for _ in range(batches):
        log.append(memoryview(make_batch(size=100)), leader_epoch=0, now_ms=0)
    log.write_pending()
    return disk


def file(disk: MemoryDisk, base: int) -> bytearray:
    return disk.files[f"{PLACE}/{base:020d}.log"].now


def opened(disk: MemoryDisk, config: LogConfig = SMALL, recovery_point: int = 0) -> PartitionLog:
    return open_log(disk, DOGS, PLACE, config, Checkpoint(recovery_point))


def offsets(log: PartitionLog) -> list[int]:
    found, position = [], log.start_offset
    while position < log.end_offset:
        region = log.read(position, 1000, max_offset=1 << 62, min_one=True).records
        if region is None:
            break
        found += [header.base_offset for header in walk(region.read())]
        position = found[-1] + 1
    return found


@pytest.mark.parametrize(("config", "reported"), [(SMALL, True), (COMPACTED, False)])
def test_a_gap_between_whole_segments_stays_whatever_the_policy_is(
    config: LogConfig, *, reported: bool
) -> None:
    disk = left_by_a_kill(8)
    size = len(file(disk, 2)) // 2
    del file(disk, 2)[size:]  # 3 is gone, at a boundary
    file(disk, 4).clear()
    log = opened(disk, config)
    assert offsets(log) == [0, 1, 2, 6, 7]
    assert (log.end_offset, log.losses.bytes) == (8, 0)
    notes = "\n".join(log.losses.notes)
    assert ("offsets 3 to 5 are not there" in notes) == reported, notes


def test_several_gaps_are_reported_at_once() -> None:
    disk = left_by_a_kill(8)
    for base in (2, 4):
        del file(disk, base)[len(file(disk, base)) // 2 :]
    log = opened(disk)
    assert offsets(log) == [0, 1, 2, 4, 6, 7]
    (note,) = log.losses.notes
    assert "offsets 3 to 3 (the first of 2 gaps) are not there" in note


def test_an_empty_last_segment_behind_a_gap_keeps_the_end() -> None:
    """Its offsets were given out, and are not given out again."""
    disk = left_by_a_kill(6)
    file(disk, 4).clear()
    del file(disk, 2)[len(file(disk, 2)) // 2 :]
    log = opened(disk)
    assert offsets(log) == [0, 1, 2]
    assert log.end_offset == 4
    info = log.append(memoryview(make_batch()), leader_epoch=0, now_ms=0)
    log.write_pending()
    assert info.base_offset == 4
    assert offsets(log) == [0, 1, 2, 4]


def test_what_follows_a_torn_segment_goes_with_its_tail() -> None:
    disk = left_by_a_kill()
    size = len(file(disk, 2))
    del file(disk, 2)[size - 30 :]
    log = opened(disk)
    assert offsets(log) == [0, 1, 2]
    assert log.end_offset == 3
    assert log.losses.bytes == size // 2 - 30 + size
    cut, removed = log.losses.notes
    assert f"{size // 2 - 30} bytes behind 3 were cut off, from byte {size // 2} of" in cut
    assert f"{2:020d}.log on: no whole batch with a right CRC is there" in cut
    assert f"a segment of {size} bytes removed, from {4:020d}.log on: what is before" in removed
    assert not disk.exists(f"{PLACE}/{4:020d}.log")


def test_nothing_before_the_recovery_point_is_looked_at() -> None:
    disk = left_by_a_kill()
    del file(disk, 2)[-30:]
    log = opened(disk, recovery_point=4)
    assert (log.end_offset, log.losses.notes) == (6, [])


def test_a_segment_that_begins_before_the_one_before_it_ends_goes() -> None:
    disk = left_by_a_kill()
    disk.write_file(f"{PLACE}/{3:020d}.log", file(disk, 4))
    log = opened(disk)
    assert offsets(log) == [0, 1, 2, 3]
    (note,) = log.losses.notes
    assert "2 segments of" in note
    assert "it begins before 4, where the one before it ends" in note


def test_a_start_behind_the_end_that_nothing_bears_out_does_not_count() -> None:
    disk = left_by_a_kill()
    log = open_log(disk, DOGS, PLACE, SMALL, Checkpoint(4, start_offset=9))
    assert (log.start_offset, log.end_offset, offsets(log)) == (0, 6, list(range(6)))
    (note,) = log.losses.notes
    assert "says that the log starts at 9, but it ends at 6: it starts at 0" in note


@pytest.mark.parametrize("known", [Checkpoint(11, 9), Checkpoint(4, 9, high_watermark=11)])
def test_one_that_another_checkpoint_bears_out_keeps_its_offsets_from_new_records(
    known: Checkpoint,
) -> None:
    disk = left_by_a_kill()
    log = open_log(disk, DOGS, PLACE, SMALL, known)
    assert (log.start_offset, log.end_offset, log.losses.bytes) == (9, 9, 0)
    assert "both checkpoints say that it had more, and started at 9" in log.losses.notes[-1]
    assert log.append(memoryview(make_batch()), leader_epoch=0, now_ms=0).base_offset == 9
    log.write_pending()
    assert offsets(log) == [9]
    assert file(disk, 0), "nothing is removed because a checkpoint says so"


def test_a_recovery_point_behind_the_end_keeps_nothing_from_being_recovered() -> None:
    disk = left_by_a_kill()
    del file(disk, 2)[-30:]
    log = opened(disk, recovery_point=4000)
    assert offsets(log) == [0, 1, 2]
    assert (
        "says that everything up to 4000 was on disk, but the log ends at 6" in log.losses.notes[0]
    )


def test_in_a_log_that_was_left_in_order_the_other_checkpoint_tells_which_one_is_right() -> None:
    disk = left_by_a_kill()
    checkpoint = Checkpoint(4000, clean=True, high_watermark=6)
    log = open_log(disk, DOGS, PLACE, SMALL, checkpoint)
    assert (log.end_offset, log.losses.bytes, log.recovery_point) == (6, 0, 6)
    (note,) = log.losses.notes
    assert "recovery-point-offset-checkpoint says that everything up to 4000 was on disk" in note


def test_bytes_missing_in_a_log_of_kafka_07_end_it() -> None:
    disk = MemoryDisk()
    config = LogConfig(magic=-1)
    assert config.byte_positions
    create_log(disk, DOGS, PLACE, config, bytes(16))
    disk.write_file(f"{PLACE}/{0:020d}.kafka", M1)
    disk.write_file(f"{PLACE}/{len(M1) + 5:020d}.kafka", M0)
    log = opened(disk, config)
    assert log.end_offset == len(M1)
    assert f"the bytes from {len(M1)} on are missing before it" in log.losses.notes[0]


def test_indexes_are_made_again() -> None:
    disk = left_by_a_kill()
    for path in [path for path in disk.files if path.endswith("index")]:
        disk.write_file(path, b"\xff" * 24)
    log = opened(disk)
    assert offsets(log) == list(range(6))
    assert all(isinstance(each, Segment) and each.max_timestamp == 1000 for each in log.segments)
