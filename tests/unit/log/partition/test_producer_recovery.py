"""What is known of producers and of what they aborted, where the files that say so are damaged."""

import logging
import struct
from collections.abc import Callable
from functools import cache

import pytest

from barnabas.errors import StorageError
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.last_stable_offset import aborted_in
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.producers.producer_snapshot import decode_snapshot, encode_snapshot
from barnabas.log.recovery.opening import create_log, open_log
from barnabas.log.recovery.truncation import truncate_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk, MemoryFile
from tests.record_batches import make_batch, make_marker

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
PLACE = "/d/dogs-0"
CONFIG = LogConfig(segment_bytes=1500, index_interval_bytes=0)
ALL = 1 << 62
ENTRY = struct.Struct(">hqqqq")

Damage = Callable[[bytes], bytes]
Known = tuple[int, int, int, int, list[tuple[int, int, int, int, int]]]


def stopped() -> MemoryDisk:
    """Three producers whose transactions overlap; half of them are aborted."""
    disk = MemoryDisk()
    log = create_log(disk, DOGS, PLACE, CONFIG, bytes(16))
    for number in range(16):
        for producer in (1, 2, 3):
            if number % 4 == producer:
                commit = number % 8 == producer
                batch = make_marker(producer, 0, commit=commit)
            else:
                sequence = number - (number + 3 - producer) // 4
                batch = make_batch(1, producer=(producer, 0, sequence), attributes=0x10)
            log.append(memoryview(batch), leader_epoch=0, now_ms=0, internal=True)
    log.write_pending()
    log.close(clean=True)
    return disk


def opened(disk: MemoryDisk) -> PartitionLog:
    return open_log(disk, DOGS, PLACE, CONFIG, Checkpoint(48, 0, clean=True))


def aborted(log: PartitionLog) -> list[object]:
    """What a reader of committed records gets, wherever it begins."""
    found: list[object] = []
    for offset in range(log.end_offset):
        records = log.read(offset, 300, max_offset=ALL, min_one=True).records
        assert records is not None
        found.append(aborted_in(log, offset, records, log.end_offset))
    return found


def producers(log: PartitionLog) -> list[Known]:
    return sorted(
        (one.producer_id, one.epoch, one.next_sequence, one.transaction_start, [*one.batches])
        for one in log.producers.entries()
    )


@cache
def expected() -> tuple[list[object], list[Known]]:
    log = opened(stopped())
    return aborted(log), producers(log)


def files(suffix: str) -> list[str]:
    return sorted(path for path in stopped().files if path.endswith(suffix))


INDEXES = files(".txnindex")


def field(number: int, place: int, change: Callable[[int], int]) -> Damage:
    """One field of an entry is another number."""

    def damage(data: bytes) -> bytes:
        at = (number * ENTRY.size) % len(data)
        values = list(ENTRY.unpack_from(data, at))
        values[place] = change(values[place])
        return data[:at] + ENTRY.pack(*values) + data[at + ENTRY.size :]

    return damage


DAMAGES: dict[str, Damage] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[:-5],
    "cut in the first": lambda data: data[:9],
    "zeros": lambda data: bytes(len(data)),
    "zeros behind": lambda data: data + bytes(340),
    "noise": lambda data: bytes((31 * n * n + 7) % 255 for n in range(len(data))),
    "a later version": field(0, 0, lambda _: 1),
    "another producer": field(0, 1, lambda producer: producer + 1),
    "no producer": field(0, 1, lambda _: -1),
    "begins below 0": field(0, 2, lambda _: -5),
    "begins behind its end": field(0, 2, lambda _: 2**40),
    "begins with a batch of another": field(0, 2, lambda first: first + 1),
    "ends in another segment": field(0, 3, lambda last: last + 30),
    "ends before the segment": field(0, 3, lambda _: -1),
    "ends with records": field(0, 3, lambda last: last - 1),
    "the last ends behind the log": field(-1, 3, lambda _: 2**31 - 1),
    "stable below 0": field(0, 4, lambda _: -1),
    "stable behind its end": field(0, 4, lambda _: 2**40),
    "order": lambda data: data[ENTRY.size :] + data[: ENTRY.size],
    "twice": lambda data: data + data,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
@pytest.mark.parametrize("path", INDEXES)
def test_what_was_aborted_is_reported_with_a_damaged_index(
    path: str, damage: Damage, caplog: pytest.LogCaptureFixture
) -> None:
    disk = stopped()
    whole = bytes(disk.files[path].now)
    damaged = damage(whole)
    if damaged == whole:
        return  # The order of one.
    disk.files[path].now = bytearray(damaged)
    log = opened(disk)
    assert (aborted(log), producers(log)) == expected()
    assert aborted(log) == expected()[0]
    (record,) = caplog.records
    assert (record.levelname, record.__dict__["file"]) == ("WARNING", path)
    log.close(clean=True)
    assert bytes(disk.files[path].now) == whole
    assert aborted(opened(disk)) == expected()[0]
    assert len(caplog.records) == 1


def test_there_are_indexes_to_damage() -> None:
    assert len(INDEXES) >= 3
    assert any(len(stopped().files[path].now) > ENTRY.size for path in INDEXES)
    assert any(expected()[0])


class Broken(MemoryFile):
    """A file that cannot be read."""


class BrokenDisk(MemoryDisk):
    def read_file(self, path: str) -> bytes:
        if isinstance(self.files[path], Broken):
            raise StorageError(f"cannot read {path}: Input/output error")
        return super().read_file(path)


@pytest.mark.parametrize("suffix", [".txnindex", ".snapshot"])
def test_files_that_cannot_be_read_are_made_again(suffix: str) -> None:
    disk = BrokenDisk()
    disk.files = stopped().files
    for path in files(suffix):
        broken = Broken()
        broken.now = disk.files[path].now
        disk.files[path] = broken
    log = opened(disk)
    found, known = expected()
    assert aborted(log) == found
    assert [one[:4] for one in producers(log)] == [one[:4] for one in known]
    log.close(clean=True)
    assert aborted(opened(disk)) == found


def added_to(disk: MemoryDisk) -> list[object]:
    """What is listed as aborted when one more transaction was, before and after a restart."""
    log = opened(disk)
    begun = make_batch(1, producer=(9, 0, 0), attributes=0x10)
    for batch in (begun, make_marker(9, 0, commit=False)):
        log.append(memoryview(batch), leader_epoch=0, now_ms=0, internal=True)
    log.write_pending()
    found = aborted(log)
    log.close(clean=True)
    log = open_log(disk, DOGS, PLACE, CONFIG, Checkpoint(50, 0, clean=True))
    return [*found, *aborted(log)]


def test_what_the_broker_adds_is_kept_with_what_a_damaged_index_had() -> None:
    disk = stopped()
    disk.files[INDEXES[-1]].now = bytearray(b"\0\0")
    assert added_to(disk) == added_to(stopped())


def test_an_index_that_loses_its_last_entry_to_a_truncation_leaves_no_file() -> None:
    disk = stopped()
    log = opened(disk)
    first = INDEXES[0]
    marker = ENTRY.unpack_from(disk.files[first].now)[3]
    truncate_log(log, marker)
    assert not disk.exists(first)


SNAPSHOTS: dict[str, Damage] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[:-5],
    "another bit": lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
    "zeros": lambda data: bytes(len(data)),
    "offsets behind its own": lambda data: _shifted(data, 1000),
    "an open transaction behind its own": lambda data: _shifted(data, 0, 1000),
}


def _shifted(data: bytes, offsets: int, start: int = 0) -> bytes:
    """A snapshot with a right CRC that knows of what comes after it."""
    entries = decode_snapshot(data)
    assert entries is not None
    for entry in entries:
        last = entry.last
        if last is not None:
            entry.batches[-1] = last._replace(last_offset=last.last_offset + offsets)
        if start:
            entry.transaction_start = start
    return encode_snapshot(entries)


@pytest.mark.parametrize("damage", SNAPSHOTS.values(), ids=SNAPSHOTS.keys())
def test_producers_are_known_with_a_damaged_snapshot(
    damage: Damage, caplog: pytest.LogCaptureFixture
) -> None:
    disk = stopped()
    path = files(".snapshot")[-1]
    disk.files[path].now = bytearray(damage(bytes(disk.files[path].now)))
    with caplog.at_level(logging.WARNING, logger="barnabas.log"):
        log = opened(disk)
    assert (aborted(log), producers(log)) == expected()
    assert [record.__dict__["file"] for record in caplog.records] == [path]
    assert not disk.exists(path)
