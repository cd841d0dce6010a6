from pathlib import Path

import pytest

from barnabas.errors import StorageError
from barnabas.kernels.batches.objects import RecordAppender
from barnabas.log.partition.own_appending import append_batch, append_records
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import walk
from barnabas.records.batches.builder import build
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition

pytestmark = pytest.mark.kernels

TODAY = LogConfig()


def a_log(path: Path, config: LogConfig = TODAY) -> PartitionLog:
    return open_log(RealDisk(), TopicPartition("dogs", 0), str(path), config)


def records(*values: bytes, time: int = 1000) -> RecordAppender:
    appender = RecordAppender(1 << 20)
    for number, value in enumerate(values):
        appender.append(time + number, b"key", value)
    return appender


def content(log: PartitionLog) -> bytes:
    log.write_pending()
    return b"".join(one.file.read(0, one.size) for one in log.segments)


@pytest.mark.parametrize("config", [TODAY, LogConfig(magic=1)], ids=["today", "old format"])
def test_records_are_stored_as_a_batch_of_them_is(tmp_path: Path, config: LogConfig) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    at_once, made = a_log(tmp_path / "one", config), a_log(tmp_path / "two", config)
    for time in (1000, 900, 2000):
        first, second = (records(b"a", bytes(5000), time=time) for _ in range(2))
        batch = build(second, Codec.NONE, None)
        size = append_batch(made, batch, 3, time)
        assert append_records(at_once, first, 3, time) == size
    assert content(at_once) == content(made)
    assert at_once.end_offset == made.end_offset == 6
    assert at_once.leader_epoch == made.leader_epoch
    segments = at_once.segments.active, made.segments.active
    assert segments[0].max_timestamp == segments[1].max_timestamp == 2001
    assert len(segments[0].offsets.entries) == len(segments[1].offsets.entries) > 0


def test_records_begin_a_segment_where_they_have_no_room(tmp_path: Path) -> None:
    log = a_log(tmp_path, LogConfig(segment_bytes=500))
    for _ in range(3):
        assert append_records(log, records(bytes(300)), 0, 1000)
    assert [one.base_offset for one in log.segments] == [0, 1, 2]
    assert [one.base_offset for one in walk(content(log))] == [0, 1, 2]


def test_a_log_that_is_offline_takes_nothing(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    log.fail(StorageError("gone"))
    assert append_records(log, records(b"x"), 0, 1000) == 0
    assert append_batch(log, build(records(b"x"), Codec.NONE, None), 0, 1000) == 0
    assert log.end_offset == 0


def test_a_log_that_cannot_begin_a_segment_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = a_log(tmp_path, LogConfig(segment_bytes=500))
    assert append_records(log, records(bytes(300)), 0, 1000)

    def full(*_: object, **__: object) -> None:
        raise StorageError("full")

    monkeypatch.setattr(RealDisk, "open", full)
    assert append_records(log, records(bytes(300)), 0, 1000) == 0
    assert log.failure is not None


def test_a_format_without_zstd_keeps_records_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    log, plain = a_log(tmp_path, LogConfig(magic=1)), a_log(tmp_path / "plain", LogConfig(magic=1))
    assert append_records(log, records(b"dog"), 0, 1000, Codec.ZSTD)
    assert append_records(plain, records(b"dog"), 0, 1000)
    assert content(log) == content(plain)
