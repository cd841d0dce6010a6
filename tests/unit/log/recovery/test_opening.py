"""Opening a directory that is marked as stopped in order, of which something is torn all the same."""

import pytest

from barnabas.errors import DamagedFile, StorageError
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.offline_log import OfflineLog
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import create_log, open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import walk
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch
from tests.wires.golden07 import M0, M1

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
PLACE = "/d/dogs-0"
LAST = f"{PLACE}/{4:020d}"
CONFIG = LogConfig(segment_bytes=500, index_interval_bytes=0)


def stopped(batches: int = 7) -> MemoryDisk:
    """Four batches of a record and 100 bytes in the first segment, the others in the last."""
    disk = MemoryDisk()
    log = create_log(disk, DOGS, PLACE, CONFIG, bytes(16))
    for _ in range(batches):
        log.append(memoryview(make_batch(size=100)), leader_epoch=0, now_ms=0)
    log.close(clean=True)
    return disk


def opened(disk: MemoryDisk, recovery_point: int = 7, config: LogConfig = CONFIG) -> PartitionLog:
    return open_log(disk, DOGS, PLACE, config, Checkpoint(recovery_point, 0, clean=True))


def offsets_after_one_more(log: PartitionLog) -> list[int]:
    log.append(memoryview(make_batch(size=100)), leader_epoch=0, now_ms=0)
    log.write_pending()
    found, position = [], 0
    while region := log.read(position, 1000, max_offset=1 << 62, min_one=True).records:
        found += [header.base_offset for header in walk(region.read())]
        position = found[-1] + 1
    return found


def cut(disk: MemoryDisk, name: str, count: int) -> None:
    del disk.files[name].now[-count:]


def test_nothing_is_logged_and_nothing_done_where_all_is_whole() -> None:
    disk = stopped()
    before = {name: bytes(file.now) for name, file in disk.files.items()}
    log = opened(disk)
    assert (log.end_offset, log.recovery_point, log.losses.notes) == (7, 7, [])
    assert {name: bytes(file.now) for name, file in disk.files.items()} == before


@pytest.mark.parametrize("size", [1, 60, 99])
def test_nothing_is_appended_behind_torn_bytes(size: int) -> None:
    disk = stopped()
    cut(disk, LAST + ".log", size)
    log = opened(disk)
    assert log.end_offset == 6
    torn, early = log.losses.notes
    assert f"bytes behind 6 were cut off, from byte {log.segments.active.size} of" in torn
    assert "ends at 6" in early
    assert "everything up to 7 on disk" in early
    assert offsets_after_one_more(log) == list(range(7))
    log.close(clean=True)
    assert opened(disk).losses.notes == []


def test_a_copy_that_ends_with_a_batch_is_reported_too_and_its_indexes_are_made_again() -> None:
    disk = stopped()
    cut(disk, LAST + ".log", len(disk.files[LAST + ".log"].now) // 3)
    log = opened(disk)
    assert log.end_offset == 6
    (note,) = log.losses.notes
    assert "ends at 6" in note
    assert offsets_after_one_more(log) == list(range(7))
    log.close(clean=True)
    assert offsets_after_one_more(opened(disk)) == list(range(8))


def test_without_its_last_segment_the_log_says_what_is_missing() -> None:
    disk = stopped()
    for name in [name for name in disk.files if name.startswith(LAST)]:
        disk.remove(name)
    log = opened(disk)
    (note,) = log.losses.notes
    assert "ends at 4" in note
    assert offsets_after_one_more(log) == list(range(5))


def test_an_index_that_points_into_a_batch_costs_no_record() -> None:
    disk = stopped()
    disk.files[LAST + ".index"].now[-1] += 3
    log = opened(disk)
    assert (log.end_offset, log.losses.notes) == (7, [])
    assert offsets_after_one_more(log) == list(range(8))


def test_messages_of_kafka_07_are_not_appended_behind_torn_bytes_either() -> None:
    disk = MemoryDisk()
    config = LogConfig(magic=-1)
    create_log(disk, DOGS, PLACE, config, bytes(16)).close(clean=True)
    disk.write_file(f"{PLACE}/{0:020d}.kafka", M1 + M0[:-1])
    log = opened(disk, 0, config)
    assert log.end_offset == len(M1)
    assert "bytes behind" in log.losses.notes[0]


EPOCHS = f"{PLACE}/leader-epoch-checkpoint"
IDENTITY = f"{PLACE}/partition.metadata"


def test_a_log_with_a_damaged_segment_is_offline_and_says_what_to_do() -> None:
    disk = stopped()
    first = disk.files[f"{PLACE}/{0:020d}.log"].now
    first[:50], whole = bytes(50), bytes(first)
    producers = make_batch(size=100, producer=(7, 0, 0))
    before = open_log(disk, DOGS, PLACE, CONFIG, Checkpoint(7, 0, clean=True))
    assert before.failure is None, "nobody looks at old segments when there is no need"
    before.append(memoryview(producers), leader_epoch=0, now_ms=0)
    before.close(clean=True)
    log = opened(disk, 8)
    (note,) = log.losses.notes
    assert f"is offline: {PLACE}/{0:020d}.log is damaged: at byte 0 there should be" in note
    assert "Put a whole copy of the file there and start again" in note
    for offset in (0, 7):
        with pytest.raises(StorageError, match="is offline"):
            log.read(offset, 1000, max_offset=8, min_one=True)
    with pytest.raises(StorageError, match="is offline"):
        log.append(memoryview(make_batch()), leader_epoch=0, now_ms=0)
    log.lead(3)
    log.close(clean=True)
    disk.write_file(f"{PLACE}/{0:020d}.log", whole)
    mended = opened(disk, 8)
    assert (mended.end_offset, mended.losses.notes) == (8, [])


def test_one_that_is_still_to_be_recovered_is_not_closed_in_order() -> None:
    log = opened(stopped())
    damage = DamagedFile(LAST, 3, "a batch")
    segments = list(log.segments)
    damaged = OfflineLog(log, segments, damage, (7, 0), advice="Mend it", left_in_order=False)
    with pytest.raises(StorageError, match="at byte 3 there should be a batch"):
        damaged.close(clean=True)


def test_the_id_of_a_topic_that_is_torn_is_reported_and_can_be_given_anew() -> None:
    disk = stopped()
    disk.write_file(IDENTITY, b"version: 0\ntopic_")
    log = opened(disk)
    assert (log.topic_id, log.failure, log.end_offset) == (bytes(16), None, 7)
    assert f"{IDENTITY} is damaged: at byte 0 there should be version 0 and" in log.losses.notes[0]
