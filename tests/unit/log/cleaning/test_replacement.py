"""What a crash of the cleaner has left, also where it is damaged: one of both is served whole."""

import pytest

from barnabas.log.directories.checkpoints import NO_CHECKPOINT
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import create_log, open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import walk
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.record_batches import make_batch

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
PLACE = "/d/dogs-0"
CONFIG = LogConfig(segment_bytes=250, index_interval_bytes=0, cleanup_policy=frozenset({"compact"}))
KINDS = (".log", ".index", ".timeindex")


def path(base: int, kind: str = ".log", suffix: str = "") -> str:
    return f"{PLACE}/{base:020d}{kind}{suffix}"


def left_by_a_crash(*renamed: int) -> MemoryDisk:
    """Segments 0 to 8 of two batches; batches 1, 2 and 5 are in the one that replaces three.

    The `renamed` are `.deleted` already.
    """
    disk = MemoryDisk()
    log = create_log(disk, DOGS, PLACE, CONFIG, bytes(16))
    for _ in range(10):
        log.append(memoryview(make_batch(size=100)), leader_epoch=0, now_ms=0, internal=True)
    log.write_pending()
    assert [segment.base_offset for segment in log.segments] == [0, 2, 4, 6, 8]
    cleaned = MemoryDisk()
    copy = create_log(cleaned, DOGS, PLACE, CONFIG, bytes(16))
    for offset in (1, 2, 5):
        copy.queue_batch(stamped(offset), len(stamped(offset)), offset, 1000)
    copy.write_pending()
    copy.segments.active.seal()
    for kind in KINDS:
        disk.write_file(path(0, kind, ".swap"), cleaned.read_file(path(0, kind)))
    for base in renamed:
        for kind in KINDS:
            disk.rename(path(base, kind), path(base, kind, ".deleted"))
    return disk


def stamped(offset: int) -> bytearray:
    return make_batch(size=100, base_offset=offset)


def offsets(log: PartitionLog) -> list[int]:
    found: list[int] = []
    position = log.start_offset
    while position < log.end_offset:
        records = log.read(position, 1000, max_offset=1 << 62, min_one=True).records
        assert records is not None
        before = len(found)
        found += [header.base_offset for header in walk(records.read())]
        assert len(found) > before, f"nothing whole at {position}"
        position = found[-1] + 1
    return found


def opened(disk: MemoryDisk) -> PartitionLog:
    log = open_log(disk, DOGS, PLACE, CONFIG, NO_CHECKPOINT)
    assert not [name for name in disk.files if name.endswith((".swap", ".deleted"))]
    return log


RENAMED = [(), (0,), (0, 2), (0, 2, 4)]


@pytest.mark.parametrize("renamed", RENAMED)
def test_a_whole_one_takes_the_place_of_those_that_it_replaces(renamed: tuple[int, ...]) -> None:
    assert offsets(opened(left_by_a_crash(*renamed))) == [1, 2, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("renamed", RENAMED)
@pytest.mark.parametrize("damage", ["empty", "cut", "half a batch", "noise", "a bit"])
def test_where_it_is_damaged_those_come_back(damage: str, renamed: tuple[int, ...]) -> None:
    disk = left_by_a_crash(*renamed)
    data = disk.files[path(0, ".log", ".swap")].now
    match damage:
        case "empty":
            data.clear()
        case "cut":
            del data[-1:]
        case "half a batch":
            del data[50:]
        case "noise":
            data[:] = bytes((37 * at * at) % 251 for at in range(len(data)))
        case _:
            data[90] ^= 1
    log = opened(disk)
    assert offsets(log) == list(range(10))
    assert log.losses.bytes == 0


def test_what_an_earlier_round_has_replaced_stays_away() -> None:
    """Its files wait for their readers under names that the next round gives too."""
    disk = left_by_a_crash()
    whole = disk.read_file(path(0)) + disk.read_file(path(2))
    for kind in KINDS:
        disk.rename(path(2, kind), path(2, kind, ".deleted"))
        disk.rename(path(0, kind), path(0, kind, ".deleted"))
    disk.write_file(path(0, ".log", ".deleted"), whole)
    disk.files[path(0, ".log", ".swap")].now.clear()
    log = opened(disk)
    assert offsets(log) == list(range(10))
    assert [segment.base_offset for segment in log.segments] == [0, 4, 6, 8]


def test_a_damaged_one_that_replaces_nothing_is_all_there_is() -> None:
    disk = left_by_a_crash(0, 2, 4)
    for name in [name for name in disk.files if name.endswith(".deleted")]:
        disk.remove(name)
    data = disk.files[path(0, ".log", ".swap")].now
    del data[-1:]
    log = open_log(disk, DOGS, PLACE, CONFIG, NO_CHECKPOINT._replace(recovery_point=6))
    assert [segment.base_offset for segment in log.segments] == [0, 6, 8]
    records = log.read(0, 1, max_offset=1 << 62, min_one=True).records
    assert records is not None
    assert next(walk(records.read())).base_offset == 1
