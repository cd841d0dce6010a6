"""Log directories of which one small file is damaged, and all that readers can get of them."""

import random
import re
import shutil
import struct
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from barnabas.log.directories.meta_properties import META_PROPERTIES, parse_meta_properties
from barnabas.log.file_names import LOG, OLD_LOG, parse_segment_file
from barnabas.log.log_start import LogEvent, LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.partition.byte_appending import append_messages
from barnabas.log.partition.last_stable_offset import aborted_in, stable_end
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import walk
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.record_batches import make_batch, make_marker
from tests.wires.golden07 import M0, M1

CONFIG = LogConfig(segment_bytes=2500, index_interval_bytes=150, retention_ms=-1)
CLEAN = ".kafka_cleanshutdown"
ALL = 1 << 62


def manager_of(path: Path, disk: RealDisk) -> LogManager:
    """Of the node whose directory it is, if that can be read."""
    owner = path / META_PROPERTIES
    node = 1
    if owner.is_file():
        node = parse_meta_properties(str(owner), owner.read_bytes()).node_id
    settings = LogSettings(node, [str(path)])
    old = LogConfig(magic=-1, segment_bytes=2500, index_interval_bytes=150)
    return LogManager(
        disk,
        SystemClock(),
        SystemEntropy(),
        settings,
        lambda topic: old if topic == "bytes" else CONFIG,
    )


# --- A directory of ours -------------------------------------------------------------------------


def make_directory(path: Path) -> None:
    """Several segments of records, transactions, epochs and bytes, left in order."""
    disk = RealDisk()
    manager = manager_of(path, disk)
    manager.open()
    plain = manager.create(TopicPartition("plain", 0), b"p" * 16, CONFIG)
    for number in range(40):
        if number % 15 == 0:
            plain.lead(number // 15 + 1)
        time = 1_000_000 + 1000 * (number ^ 5) + (number % 3)
        batch = make_batch(1 + number % 3, size=90 + 7 * (number % 11), timestamp=time, step=2)
        plain.append(memoryview(batch), leader_epoch=plain.leader_epoch, now_ms=time)
        plain.write_pending()
    plain.delete_before(7)
    _make_transactions(manager.create(TopicPartition("some", 1), b"s" * 16, CONFIG))
    old = LogConfig(magic=-1, segment_bytes=2500, index_interval_bytes=150)
    numbers = manager.create(TopicPartition("bytes", 0), b"b" * 16, old)
    for _ in range(60):
        append_messages(numbers, memoryview(M0 + M1), now_ms=5)
        numbers.write_pending()
    manager.create(TopicPartition("empty", 0), b"e" * 16, CONFIG)
    assert manager.close() == []
    disk.close()


def _make_transactions(log: PartitionLog) -> None:
    """Three producers whose transactions overlap; each third one is aborted, the last is open."""
    sequences = dict.fromkeys((11, 12, 13), 0)
    for number in range(70):
        producer = 11 + (number * number // 3) % 3
        epoch, time = 2, 2_000_000 + 10 * number
        if number % 6 == 5 and sequences[producer]:
            batch = make_marker(producer, epoch, commit=number % 4 != 1, timestamp=time)
            log.append(memoryview(batch), leader_epoch=0, now_ms=time, internal=True)
        else:
            batch = make_batch(
                1 + number % 2,
                size=100,
                timestamp=time,
                producer=(producer, epoch, sequences[producer]),
                attributes=0x10,
            )
            sequences[producer] += 1 + number % 2
            log.append(memoryview(batch), leader_epoch=0, now_ms=time)
        log.write_pending()


# --- What readers can get ------------------------------------------------------------------------


class Contents(NamedTuple):
    """What one log holds for its readers and producers."""

    end: int
    batches: list[tuple[int, int, str]]
    look_ups: list[tuple[int, int]]
    aborted: list[tuple[int, list[tuple[int, ...]]]]
    times: list[object]
    newest: object
    epochs: list[tuple[int, int]]
    ends_of_epochs: list[tuple[int, int]]
    stable: int
    producers: list[tuple[int, ...]]

    def from_offset(self, start: int) -> "Contents":
        """Without the records before an offset."""
        return self._replace(
            batches=[each for each in self.batches if each[0] >= start],
            look_ups=[each for each in self.look_ups if each[0] >= start],
            aborted=[each for each in self.aborted if each[0] >= start],
        )


def contents(log: PartitionLog, start: int = -1) -> Contents:
    """Everything from the log's start on, or from `start`."""
    start = log.start_offset if start < 0 else start
    found: list[tuple[int, int, str]] = []
    looked: list[tuple[int, int]] = []
    aborted: list[tuple[int, list[tuple[int, ...]]]] = []
    position = start
    while position < log.end_offset:
        data, offset = _read(log, position, 700), position
        for base, after, whole in _entries(log, data, offset):
            found.append((base, after, sha256(whole).hexdigest()))
            position = after
        assert position > offset, f"nothing whole at {offset}"
    for offset in range(start, log.end_offset, 1 if log.end_offset < 1000 else 37):
        data = _read(log, offset, 1)
        looked.append((offset, 0 if log.config.byte_positions else next(walk(data)).base_offset))
        records = log.read(offset, 900, max_offset=stable_end(log), min_one=True).records
        if records is not None and not log.config.byte_positions:
            limit = stable_end(log)
            # Of the first batch: how much follows it depends on where the index has entries.
            behind = next(walk(records.read())).next_offset
            found_all = aborted_in(log, offset, records, limit)
            listed = [tuple(one) for one in found_all if one.first_offset < behind]
            aborted.append((offset, listed))
    times: list[object] = []
    if not log.config.byte_positions:
        stamps = {header.max_timestamp for segment in log.segments for header in segment.headers(0)}
        for stamp in sorted(stamps):
            times += [log.offset_for_timestamp(stamp + shift) for shift in (-1, 0, 1)]
    # Epochs are compared with the batches when they are first asked for.
    ends_of_epochs = [log.end_offset_for_epoch(epoch) for epoch in range(-1, 20)]
    return Contents(
        log.end_offset,
        found,
        looked,
        aborted,
        times,
        None if log.config.byte_positions else log.offset_of_max_timestamp(),
        log.epochs.entries(),
        ends_of_epochs,
        stable_end(log),
        sorted(
            (one.producer_id, one.epoch, one.next_sequence, one.transaction_start)
            for one in log.producers.entries()
        ),
    )


def _read(log: PartitionLog, offset: int, size: int) -> bytes:
    records = log.read(offset, size, max_offset=ALL, min_one=True).records
    assert records is not None, f"{log.directory} gives nothing at {offset}"
    return bytes(records.read())


def _entries(log: PartitionLog, data: bytes, offset: int) -> Iterator[tuple[int, int, bytes]]:
    if log.config.byte_positions:
        at = 0
        while at + 4 <= len(data):
            end = at + 4 + struct.unpack_from(">i", data, at)[0]
            if end > len(data):
                break
            yield offset + at, offset + end, data[at:end]
            at = end
        return
    for header in walk(data):
        yield header.base_offset, header.next_offset, data[header.position : header.end]


class Opened(NamedTuple):
    """What a start finds: the events, each log's contents, and why logs are offline."""

    events: list[LogEvent]
    logs: dict[TopicPartition, Contents]
    starts: dict[TopicPartition, int]
    offline: dict[TopicPartition, str]


def opened(path: Path, *, append: bool = False) -> Opened:
    """Open the logs of a directory, read all, append a batch to each if asked to, and close in order."""
    disk = RealDisk()
    try:
        return _opened(manager_of(path, disk), append=append)
    finally:
        disk.close()


def _opened(manager: LogManager, *, append: bool) -> Opened:
    events = manager.open()
    found = Opened(events, {}, {}, {})
    for log in sorted(manager.logs(), key=lambda one: one.topic_partition):
        where = log.topic_partition
        if log.failure is not None:
            found.offline[where] = str(log.failure)
            continue
        found.logs[where] = contents(log)
        found.starts[where] = log.start_offset
        if append and not log.config.byte_positions:
            batch = memoryview(make_batch(2, size=100, timestamp=9_000_000))
            log.append(batch, leader_epoch=max(log.leader_epoch, 0), now_ms=9_000_000)
    manager.close()
    return found


# --- Damage --------------------------------------------------------------------------------------

_NUMBERS = (-5, -1, 0, 1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
_NUMBER = re.compile(rb"\d+")
Change = Callable[[random.Random, bytes], bytes]


def _text(chance: random.Random, data: bytes) -> bytes:
    """One of its numbers is another one."""
    numbers = list(_NUMBER.finditer(data))
    if not numbers:
        return data + b"7"
    chosen = chance.choice(numbers)
    other = chance.choice([-3, 0, 1, 5, 12, 1000, 10**6, 2**31 - 1, 2**63 - 1, 10**30])
    return data[: chosen.start()] + b"%d" % other + data[chosen.end() :]


def _entry(size: int) -> Change:
    def change(chance: random.Random, data: bytes) -> bytes:
        """A number in it is another one."""
        at = chance.randrange(max(len(data) // 4, 1)) * 4
        wide = chance.random() < 0.5
        number = chance.choice(_NUMBERS)
        packed = struct.pack(">q", number)[-8 if wide else -4 :]
        return data[:at] + packed + data[at + len(packed) :]

    def swap(chance: random.Random, data: bytes) -> bytes:
        entries = [data[at : at + size] for at in range(0, len(data), size)]
        chance.shuffle(entries)
        return b"".join(entries)

    def drop(chance: random.Random, data: bytes) -> bytes:
        return data[: chance.randrange(len(data) // size + 1) * size]

    return lambda chance, data: chance.choice((change, change, swap, drop))(chance, data)


def _flip(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data)) if data else 0
    return (
        data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
        if data
        else b"x"
    )


CHANGES: dict[str, Change] = {
    "empty": lambda _chance, _data: b"",
    "cut": lambda chance, data: data[: chance.randrange(len(data) + 1)],
    "noise": lambda chance, data: chance.randbytes(len(data) or 20),
    "more": lambda chance, data: data + chance.randbytes(1 + chance.randrange(60)),
    "zeros behind": lambda chance, data: data + bytes(chance.choice((8, 12, 24, 96, 340))),
    "zeros": lambda _chance, data: bytes(len(data)),
    "flip": _flip,
}
SIZES = {".index": 8, ".timeindex": 12, ".txnindex": 34, ".snapshot": 46}


class Damage(NamedTuple):
    """What was done to which file."""

    file: str
    what: str


def small_files(path: Path) -> list[Path]:
    """All files that hold no records, in order."""
    return [
        file
        for file in sorted(path.rglob("*"))
        if file.is_file()
        and file.suffix not in (LOG, OLD_LOG, ".jafka", ".json", ".lock")
        and file.name != ".lock"
    ]


def damage(path: Path, chance: random.Random, files: Sequence[str] = ()) -> Damage:
    """Damage one small file of a directory by chance."""
    candidates = small_files(path)
    if files:
        candidates = [file for file in candidates if file.name.endswith(tuple(files))]
    # As likely for each kind of file, not for each file.
    kinds = sorted({_kind(file) for file in candidates})
    kind = chance.choice(kinds)
    file = chance.choice([each for each in candidates if _kind(each) == kind])
    name = str(file.relative_to(path))
    data = file.read_bytes()
    what = chance.choice([*CHANGES, "numbers", "numbers", "missing", "directory"])
    if what == "missing":
        file.unlink()
    elif what == "directory":
        file.unlink()
        file.mkdir()
    elif what == "numbers":
        change = _entry(SIZES[kind]) if kind in SIZES else _text
        file.write_bytes(change(chance, data))
    else:
        file.write_bytes(CHANGES[what](chance, data))
    return Damage(name, what)


def read(file: Path) -> bytes:
    """What it holds; nothing where it is not a file."""
    return file.read_bytes() if file.is_file() else b""


def is_undetectable(source: Path, done: Damage, data: bytes) -> bool:
    """Whether the `data` that is left could be right, for all that the file and its log say.

    A whole entry that is missing from a .txnindex (most segments have none), another of its offsets that
    fits the same producer's batches, an entry of a time index with the offset of another batch of just that
    time, an offset in a log's range in log-start-offset-checkpoint, the id of another topic, another node's
    number: nothing contradicts them.
    """
    before = source / done.file
    name = before.name
    if name.endswith(".txnindex"):
        whole = before.read_bytes()
        sizes_fit = len(data) % 34 == 0 and data
        return (
            done.what == "missing"
            or bool(sizes_fit and done.what in ("numbers", "flip", "cut"))
            or (data == whole)
        )
    if name.endswith(".timeindex"):
        return done.what in ("numbers", "flip") and _is_moved(before, data)
    if name in ("log-start-offset-checkpoint", "partition.metadata", META_PROPERTIES):
        return done.what in ("numbers", "flip")
    return False


def _is_moved(index: Path, data: bytes) -> bool:
    """Whether a changed entry of a time index names a batch that is of the time that it says."""
    batches = [*walk(index.with_suffix(LOG).read_bytes())]
    base, old = int(index.stem), index.read_bytes()
    for at in range(0, len(data) // 12 * 12, 12):
        time, delta = struct.unpack_from(">qi", data, at)
        holding = [one for one in batches if one.last_offset >= base + delta][:1]
        if data[at : at + 12] != old[at : at + 12] and [one.max_timestamp for one in holding] == [
            time
        ]:
            return True
    return False


def _kind(file: Path) -> str:
    return file.suffix if parse_segment_file(file.name) else file.name


def copy_of(source: Path, target: Path) -> Path:
    """A copy to damage."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return target
