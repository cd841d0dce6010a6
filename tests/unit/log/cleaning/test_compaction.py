"""Compacted topics of magic 0 and 1, and those that changed from them to batches."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from barnabas.log.cleaner import CleanerSettings, LogCleaner
from barnabas.log.log_start import LogSettings
from barnabas.log.manager import LogManager
from barnabas.log.partition.set_appending import append_set
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import walk
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.entropy import SystemEntropy
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.message_sets import message, wrapper
from tests.step_worker import StepWorker

pytestmark = pytest.mark.kernels

DOGS = TopicPartition("dogs", 0)
NOW = 100_000
RETENTION = 1_000
Row = tuple[bytes, bytes | None]
SET: list[Row] = [(b"a", b"1"), (b"b", b"2"), (b"c", None), (b"a", b"3")]


class Kennel:
    """A log to which sets of messages are appended, each in a segment of its own."""

    def __init__(self, path: Path, magic: int, segment_bytes: int = 1 << 20) -> None:
        self.path = path
        self.config = LogConfig(
            cleanup_policy=frozenset({"compact"}),
            magic=magic,
            segment_bytes=segment_bytes,
            delete_retention_ms=RETENTION,
            min_cleanable_dirty_ratio=0.0,
            file_delete_delay_ms=0,
            index_interval_bytes=0,
        )
        settings = LogSettings(1, [str(path)])
        entropy = SystemEntropy()
        self.logs = LogManager(
            RealDisk(), SystemClock(), entropy, settings, lambda _topic: self.config
        )
        self.logs.open()
        self.log = self.logs.create(DOGS, bytes(16), self.config)
        self.worker = StepWorker(RealDisk())
        self.cleaner = LogCleaner(self.logs, self.worker, entropy, CleanerSettings())
        self.polls = 0

    def append(self, codec: Codec = Codec.NONE, rows: Sequence[Row] = SET) -> None:
        time_ms = NOW if self.config.magic else None
        messages = [message(at, *row, timestamp=time_ms) for at, row in enumerate(rows)]
        whole = wrapper(len(rows) - 1, messages, codec, timestamp=time_ms)
        made = whole if codec else b"".join(messages)
        append_set(self.log, made, now_ms=NOW, internal=True)  # However small segments are.
        self.log.write_pending()
        self.log.roll(NOW)
        self.log.flush()

    def clean(self) -> None:
        self.polls += 20_000
        assert not self.cleaner.poll(NOW + self.polls)
        self.worker.take(1000)
        (event,) = self.cleaner.poll(NOW + self.polls)
        assert not event.problem, event
        self.worker.take(1000)

    def age(self, *milliseconds: int) -> None:
        """Let segments, oldest first, have been written so many ms after 1970."""
        files = sorted(self.path.glob("dogs-0/*.log"))
        for file, time_ms in zip(files, milliseconds, strict=False):
            os.utime(file, ns=(time_ms * 10**6, time_ms * 10**6))

    def data(self) -> list[bytes]:
        return [file.read_bytes() for file in sorted(self.path.glob("dogs-0/*.log"))]

    def rows(self) -> list[tuple[int, bytes | None, bytes | None]]:
        return [
            (each.offset, each.key, each.value)
            for data in self.data()
            for each in decode_records(data, "dogs", 0)[0]
        ]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_the_latest_of_each_key_stays_in_its_format(
    tmp_path: Path, magic: int, codec: Codec
) -> None:
    kennel = Kennel(tmp_path, magic)
    for each in (Codec.NONE, codec, codec):
        kennel.append(each)
    kennel.clean()
    assert kennel.rows() == [(9, b"b", b"2"), (10, b"c", None), (11, b"a", b"3")]
    headers = [header for data in kennel.data() for header in walk(data)]
    assert {header.magic for header in headers} == {magic}
    assert [header.codec for header in headers] == ([codec] if codec else [Codec.NONE] * 3)
    assert all(header.max_timestamp == (NOW if magic else -1) for header in headers)
    for offset in range(12):
        found = kennel.log.read(offset, 1, max_offset=100, min_one=True).records
        assert found is not None, offset


@pytest.mark.parametrize("magic", [0, 1])
def test_tombstones_go_once_their_segment_is_old(tmp_path: Path, magic: int) -> None:
    """As in Kafka: by the times of the files, which compaction hands on."""
    kennel = Kennel(tmp_path, magic, segment_bytes=50)
    kennel.append(rows=[(b"x", None), (b"y", b"1")])
    kennel.append(Codec.GZIP, rows=[(b"z", None)])
    kennel.age(1_000, 9_000)
    kennel.clean()
    assert [row[0] for row in kennel.rows()] == [0, 1, 2]
    kennel.append()
    kennel.clean()
    assert [row[0] for row in kennel.rows()] == [1, 2, 4, 5, 6]
    assert kennel.log.segments[0].modified_ms() == 1_000


def test_batches_behind_messages(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path, 1)
    kennel.append(Codec.GZIP)
    kennel.append()
    builder = BatchBuilder(Codec.NONE, 1000)
    builder.append(NOW, b"b", b"of today")
    kennel.log.append(memoryview(builder.build()), leader_epoch=0, now_ms=NOW)
    kennel.log.write_pending()
    kennel.log.roll(NOW)
    kennel.log.flush()
    kennel.clean()
    assert kennel.rows() == [(6, b"c", None), (7, b"a", b"3"), (8, b"b", b"of today")]
    assert [h.magic for data in kennel.data() for h in walk(data)] == [1, 1, 2]


def test_damage_is_found(tmp_path: Path) -> None:
    kennel = Kennel(tmp_path, 1)
    kennel.append()
    kennel.append()
    path = tmp_path / "dogs-0" / f"{0:020d}.log"
    content = bytearray(path.read_bytes())
    content[35] ^= 1
    path.write_bytes(content)
    assert not kennel.cleaner.poll(NOW)
    kennel.worker.take(1000)
    (event,) = kennel.cleaner.poll(NOW)
    assert event.problem
    assert "its CRC is wrong" in event.text
