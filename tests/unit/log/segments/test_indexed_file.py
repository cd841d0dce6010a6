"""An index is a hint: whatever it holds, look-ups find the same as without it, and it is repaired."""

import logging
import struct
from collections.abc import Callable
from functools import cache

import pytest

from barnabas.errors import DamagedFile, StorageError
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.timestamps import first_not_before, newest
from barnabas.log.recovery.opening import create_log, open_log
from barnabas.log.segments import indexed_file
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import walk
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk, MemoryFile
from tests.record_batches import make_batch
from tests.wires.golden07 import M0, M1

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
PLACE = "/d/dogs-0"
ALL = 1 << 62
BATCHES = 30
SIZE = len(make_batch(2, size=180))
CONFIG = LogConfig(segment_bytes=10 * SIZE + 50, index_interval_bytes=SIZE)
BASES = range(0, 2 * BATCHES, 20)
"""Where the three segments begin."""
TIMES = [1000 + 10 * (number ^ 1) for number in range(BATCHES)]
"""Those of neighbours are out of order."""
END = 2**31 - 1

Damage = Callable[[bytearray], None]


def stopped() -> MemoryDisk:
    """Batches of two records."""
    disk = MemoryDisk()
    log = create_log(disk, DOGS, PLACE, CONFIG, bytes(16))
    for time in TIMES:
        batch = make_batch(2, size=180, timestamp=time)
        log.append(memoryview(batch), leader_epoch=0, now_ms=0)
    log.write_pending()
    assert [segment.base_offset for segment in log.segments] == list(BASES)
    log.close(clean=True)
    return disk


def opened(disk: MemoryDisk) -> PartitionLog:
    checkpoint = Checkpoint(2 * BATCHES, 0, clean=True)
    return open_log(disk, DOGS, PLACE, CONFIG, checkpoint)


def findings(log: PartitionLog) -> list[object]:
    """What look-ups by offset and by time return."""
    found: list[object] = []
    for offset in [*range(log.end_offset), *range(log.end_offset - 1, 0, -3)]:
        records = log.read(offset, 4 * SIZE, max_offset=ALL, min_one=True).records
        assert records is not None, f"nothing at {offset}"
        bases = [header.base_offset for header in walk(records.read())]
        assert bases[0] == offset // 2 * 2
        assert bases == list(range(bases[0], bases[-1] + 1, 2))
    found += by_time(log)
    found += [segment.max_timestamp for segment in log.segments]
    found.append((log.start_offset, log.end_offset))
    return found


def by_time(log: PartitionLog) -> list[object]:
    times = range(min(TIMES) - 5, max(TIMES) + 15, 5)
    return [newest(log.segments, 0), *(first_not_before(log.segments, 0, time) for time in times)]


@cache
def expected() -> list[object]:
    return findings(opened(stopped()))


def entry(form: str, number: int, *values: int) -> Damage:
    def damage(data: bytearray) -> None:
        size = struct.calcsize(form)
        at = number * size if number >= 0 else len(data) + number * size
        struct.pack_into(form, data, at, *values)

    return damage


def changed(change: Callable[[bytes], bytes]) -> Damage:
    def damage(data: bytearray) -> None:
        data[:] = change(bytes(data))

    return damage


def backwards(size: int) -> Damage:
    return changed(
        lambda data: b"".join(data[at : at + size] for at in range(len(data) - size, -1, -size))
    )


def noise(count: int) -> bytes:
    return bytes((37 * number * number + 11) % 251 for number in range(count))


COMMON: dict[str, Damage] = {
    "empty": changed(lambda _: b""),
    "noise": changed(lambda data: noise(len(data))),
    "more noise": changed(lambda data: data + noise(96)),
    "ones": changed(lambda data: b"\xff" * len(data)),
    "zeros behind": changed(lambda data: data + bytes(240)),
    "zeros": changed(lambda data: bytes(len(data))),
    "ragged": changed(lambda data: data[:-3]),
}
OFFSET_INDEX: dict[str, Damage] = COMMON | {
    "position below 0": entry(">ii", 2, 7, -5),
    "last position below 0": entry(">ii", -1, 18, -5),
    "position behind the end": entry(">ii", 1, 5, END),
    "last position behind the end": entry(">ii", -1, 18, END),
    "inside a batch": entry(">ii", 1, 7, 3 * SIZE + 17),
    "last inside a batch": entry(">ii", -1, 19, 9 * SIZE + 61),
    "a later batch": entry(">ii", 1, 3, 8 * SIZE),
    "a later batch for all": changed(
        lambda data: struct.pack(">ii", 1, 9 * SIZE) * (len(data) // 8)
    ),
    "offset below the segment": entry(">ii", 0, -9, 3 * SIZE),
    "offsets go back": backwards(8),
    "only the first": changed(lambda data: data[:8]),
    "twice": changed(lambda data: data + data),
}
TIME_INDEX: dict[str, Damage] = COMMON | {
    "offset behind the end": entry(">qi", 1, 1035, END),
    "offset below the segment": entry(">qi", 1, 1035, -7),
    "another offset": entry(">qi", 1, 1035, 16),
    "the last is of year 9999": entry(">qi", -1, 253402300799000, 17),
    "the last is too old": entry(">qi", -1, 1000, 17),
    "time below 0": entry(">qi", 0, -1000, 3),
    "times go back": backwards(12),
    "only the first": changed(lambda data: data[:12]),
    "twice": changed(lambda data: data + data),
}
CASES = [
    pytest.param(kind, damage, id=f"{kind}: {name}")
    for kind, damages in ((".index", OFFSET_INDEX), (".timeindex", TIME_INDEX))
    for name, damage in damages.items()
]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("kind", "damage"), CASES)
def test_readers_find_the_same_with_a_damaged_index(kind: str, damage: Damage, base: int) -> None:
    disk = stopped()
    path = f"{PLACE}/{base:020d}{kind}"
    damage(disk.files[path].now)
    log = opened(disk)
    assert log.losses.notes == []
    assert findings(log) == expected()
    log.append(memoryview(make_batch(2, size=180)), leader_epoch=0, now_ms=0)
    log.close(clean=True)
    again = opened(disk)
    assert again.end_offset == 2 * BATCHES + 2


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("kind", "damage"), CASES)
def test_so_they_do_when_nobody_has_asked_for_an_offset_before_a_time(
    kind: str, damage: Damage, base: int
) -> None:
    disk = stopped()
    damage(disk.files[f"{PLACE}/{base:020d}{kind}"].now)
    found = by_time(opened(disk))
    assert found == expected()[: len(found)]


@pytest.mark.parametrize(
    ("kind", "damage", "why"),
    [
        (".index", OFFSET_INDEX["position below 0"], "its entry for offset 27 says position -5"),
        (".timeindex", TIME_INDEX["another offset"], "its entry for time 1035 says offset 36"),
        (".index", COMMON["ragged"], "it ends with 5 bytes of an entry that should have 8"),
    ],
)
def test_a_warning_names_file_and_entry_once_and_the_index_is_as_it_was(
    kind: str, damage: Damage, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    disk = stopped()
    path = f"{PLACE}/{20:020d}{kind}"
    whole = bytes(disk.files[path].now)
    damage(disk.files[path].now)
    with caplog.at_level(logging.INFO, logger="barnabas.log"):
        log = opened(disk)
        findings(log)
        findings(log)
        log.close(clean=True)
        findings(opened(disk))
    (record,) = caplog.records
    assert (record.levelname, record.__dict__["file"]) == ("WARNING", path)
    assert why in record.__dict__["why"]
    assert bytes(disk.files[path].now) == whole


def test_an_index_that_is_missing_is_made_without_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Kafka had no time index before 0.10.1."""
    disk = stopped()
    for base in BASES:
        disk.remove(f"{PLACE}/{base:020d}.timeindex")
    with caplog.at_level(logging.WARNING, logger="barnabas.log"):
        assert findings(opened(disk)) == expected()
    assert caplog.records == []


class Broken(MemoryFile):
    """A file that cannot be read."""

    def read(self, position: int, count: int) -> bytes:
        raise StorageError("cannot read: Input/output error")


@pytest.mark.parametrize("kind", [".index", ".timeindex"])
@pytest.mark.parametrize("base", BASES)
def test_an_index_that_cannot_be_read_is_made_again(kind: str, base: int) -> None:
    disk = stopped()
    path = f"{PLACE}/{base:020d}{kind}"
    broken = Broken()
    broken.now = disk.files[path].now
    disk.files[path] = broken
    assert findings(opened(disk)) == expected()


def test_one_that_was_cut_while_the_broker_runs_is_made_again() -> None:
    disk = stopped()
    log = opened(disk)
    for segment in log.segments:
        assert len(segment.offsets.entries)
        assert len(segment.times.entries)
    for path in [path for path in disk.files if path.endswith("index")]:
        del disk.files[path].now[20:]
    assert findings(log) == expected()


def test_an_index_that_lacks_entries_is_made_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(indexed_file, "_FAR", 3 * SIZE)
    disk = stopped()
    disk.files[f"{PLACE}/{0:020d}.index"].now.clear()
    log = opened(disk)
    assert log.read(18, 1, max_offset=ALL, min_one=True).records is not None
    (record,) = caplog.records
    assert f"it has no entry for the {9 * SIZE} bytes from 0 on" in record.__dict__["why"]
    assert findings(log) == expected()


@pytest.mark.parametrize("kept", [0, 1])
def test_a_time_index_that_was_cut_makes_no_segment_older(kept: int) -> None:
    """Its greatest time is in the middle, so that neither the last batch nor the last entry has it."""
    disk = MemoryDisk()
    log = create_log(disk, DOGS, PLACE, CONFIG, bytes(16))
    for time in (1000, 1010, 1020, 1030, 9000, 1040, 1050, 1060, 1070, 1080):
        batch = make_batch(2, size=180, timestamp=time)
        log.append(memoryview(batch), leader_epoch=0, now_ms=0)
    log.close(clean=True)
    index = disk.files[f"{PLACE}/{0:020d}.timeindex"].now
    assert len(index) > 12 * kept
    del index[12 * kept :]
    log = open_log(disk, DOGS, PLACE, CONFIG, Checkpoint(20, 0, clean=True))
    assert log.segments.first.max_timestamp == 9000
    found = first_not_before(log.segments, 0, 5000)
    assert found is not None
    assert (found.timestamp, found.offset) == (9000, 8)


def test_where_the_batches_are_damaged_the_index_stays_and_leads_to_what_is_behind() -> None:
    disk = stopped()
    log_file = disk.files[f"{PLACE}/{20:020d}.log"].now
    log_file[4 * SIZE : 4 * SIZE + 61] = bytes(61)
    before = bytes(disk.files[f"{PLACE}/{20:020d}.index"].now)
    log = opened(disk)
    for _ in range(2):
        with pytest.raises(DamagedFile, match=rf"20\.log is damaged: at byte {4 * SIZE}"):
            log.read(28, 1, max_offset=ALL, min_one=True)
        for offset in (0, 22, 33, 38, 41):
            records = log.read(offset, 1, max_offset=ALL, min_one=True).records
            assert records is not None
            assert next(walk(records.read())).base_offset == offset // 2 * 2
    assert disk.files[f"{PLACE}/{20:020d}.index"].now == before


def test_a_batch_in_a_record_is_not_taken_for_one_of_the_log() -> None:
    """Where an entry leads into a record whose value is a batch, the walk from there gives it away."""
    disk = MemoryDisk()
    log = create_log(disk, DOGS, PLACE, CONFIG, bytes(16))
    for number in range(6):
        batch = make_batch(1, size=300)
        inner = make_batch(1, base_offset=1, size=150)
        batch[100 : 100 + len(inner)] = inner
        log.append(memoryview(batch), leader_epoch=0, now_ms=0)
        assert log.end_offset == number + 1
    log.close(clean=True)
    index = f"{PLACE}/{0:020d}.index"
    size = len(disk.files[f"{PLACE}/{0:020d}.log"].now) // 6
    disk.files[index].now[:] = struct.pack(">iiii", 1, 100, 4, 4 * size)
    log = open_log(disk, DOGS, PLACE, CONFIG, Checkpoint(6, 0, clean=True))
    for offset in (3, 2, 4, 5, 1, 0):
        records = log.read(offset, 1, max_offset=ALL, min_one=True).records
        assert records is not None
        assert next(walk(records.read())).base_offset == offset


@pytest.mark.parametrize("damage", OFFSET_INDEX.values(), ids=OFFSET_INDEX.keys())
def test_positions_of_kafka_07_are_found_with_a_damaged_index(damage: Damage) -> None:
    disk = MemoryDisk()
    config = LogConfig(magic=-1, index_interval_bytes=0)
    create_log(disk, DOGS, PLACE, config, bytes(16)).close(clean=True)
    messages = (M0 + M1) * 200
    disk.write_file(f"{PLACE}/{0:020d}.kafka", messages)
    entries = struct.pack(">iiii", len(M0) - 1, 0, len(M0) + len(M1) - 1, len(M0)) * 10
    disk.write_file(f"{PLACE}/{0:020d}.index", entries)
    damage(disk.files[f"{PLACE}/{0:020d}.index"].now)
    log = open_log(disk, DOGS, PLACE, config, Checkpoint(0, 0, clean=True))
    assert log.end_offset == len(messages)
    both = len(M0) + len(M1)
    for number in (0, 3, 77, 199):
        for start, size in ((both * number, len(M0)), (both * number + len(M0), len(M1))):
            place = log.segments.first.find(start + 3)
            assert place is not None
            assert place[:2] == (start, size)
