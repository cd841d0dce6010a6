from itertools import pairwise
from pathlib import Path

import pytest

from barnabas.errors import ErrorCode, StorageError
from barnabas.log.append_results import AppendInfo
from barnabas.log.directories.checkpoints import Checkpoint
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.recovery.truncation import truncate_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.log.segments.scan import BatchPosition
from barnabas.log.segments.segment import Segment
from barnabas.records.batches.batch import BatchHeader, crc_is_right, walk
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.runtime.files.disk import RealDisk
from barnabas.types import TopicPartition
from tests.record_batches import make_batch

NOW = 5_000
ALL = 1 << 62
DEFAULTS = LogConfig()


def a_log(path: Path, config: LogConfig = DEFAULTS) -> PartitionLog:
    return open_log(RealDisk(), TopicPartition("dogs", 0), str(path), config)


def append(log: PartitionLog, batch: bytearray, *, now_ms: int = NOW, epoch: int = 0) -> AppendInfo:
    return log.append(memoryview(batch), leader_epoch=epoch, now_ms=now_ms)


def read(log: PartitionLog, offset: int, max_bytes: int = 1 << 20, **how: int) -> list[BatchHeader]:
    found = log.read(
        offset,
        max_bytes,
        max_offset=how.get("max_offset", ALL),
        min_one=bool(how.get("min_one", 1)),
    )
    assert found.error == ErrorCode.NONE
    if found.records is None:
        return []
    region = found.records
    data = region.file.read(region.position, region.size)
    assert len(data) == region.size
    headers = list(walk(data))
    assert all(crc_is_right(data, header) for header in headers)
    return headers


def test_batches_come_back_with_their_offsets_once_written(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    assert append(log, make_batch(3)) == AppendInfo(0, 2)
    assert append(log, make_batch(2)) == AppendInfo(3, 4)
    assert read(log, 0) == []
    assert (log.end_offset, log.written_end) == (5, 0)
    log.write_pending()
    assert log.written_end == 5
    assert [(h.base_offset, h.last_offset) for h in read(log, 0)] == [(0, 2), (3, 4)]
    assert [h.base_offset for h in read(log, 2)] == [0, 3]
    assert [h.base_offset for h in read(log, 3)] == [3]
    assert read(log, 5) == []


def test_a_read_outside_the_log_is_an_error_value(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    append(log, make_batch(3))
    log.write_pending()
    log.delete_before(2)
    for offset in (-1, 1, 4):
        found = log.read(offset, 100, max_offset=ALL, min_one=True)
        assert found.error == ErrorCode.OFFSET_OUT_OF_RANGE
    assert [h.base_offset for h in read(log, 2)] == [0]


def test_the_first_batch_comes_whole_or_not_at_all(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    for _ in range(3):
        append(log, make_batch(size=1000))
    log.write_pending()
    assert [h.base_offset for h in read(log, 0, 10)] == [0]
    assert read(log, 0, 10, min_one=0) == []
    assert [h.base_offset for h in read(log, 1, 2500)] == [1, 2]
    assert [h.base_offset for h in read(log, 0, 2500)] == [0, 1]


def test_nothing_is_read_from_the_given_end_on(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    for _ in range(4):
        append(log, make_batch(2))
    log.write_pending()
    assert [h.base_offset for h in read(log, 0, max_offset=4)] == [0, 2]
    assert read(log, 4, max_offset=4) == []


@pytest.mark.parametrize("config", [LogConfig(), LogConfig(index_interval_bytes=300)])
def test_old_batches_are_found_through_the_index(tmp_path: Path, config: LogConfig) -> None:
    log = a_log(tmp_path, config)
    for _ in range(2000):
        append(log, make_batch(2, size=90))
    log.write_pending()
    for offset in (0, 1, 2, 777, 778, 2001, 3999):
        headers = read(log, offset, 1000)
        assert headers[0].base_offset == offset // 2 * 2
    position = 0
    seen = []
    while headers := read(log, position, 5000):
        seen += [h.base_offset for h in headers]
        position = headers[-1].next_offset
    assert seen == list(range(0, 4000, 2))


def test_who_reads_on_is_not_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = a_log(tmp_path, LogConfig(segment_bytes=100_000, index_interval_bytes=300))
    for _ in range(2000):
        append(log, make_batch(2, size=90))
    log.write_pending()
    position = read(log, 0, 5000)[-1].next_offset
    find = Segment.find
    looked_up = []

    def counted(segment: Segment, offset: int) -> BatchPosition | None:
        looked_up.append(offset)
        return find(segment, offset)

    monkeypatch.setattr(Segment, "find", counted)
    seen = []
    while headers := read(log, position, 5000):
        seen += [h.base_offset for h in headers]
        position = headers[-1].next_offset
    assert seen == list(range(seen[0], 4000, 2))
    assert looked_up == [segment.base_offset for segment in log.segments][1:-1]


def test_what_was_remembered_of_reads_is_forgotten_when_the_log_is_cut(tmp_path: Path) -> None:
    log = a_log(tmp_path, LogConfig(index_interval_bytes=300))
    for _ in range(600):
        append(log, make_batch(size=100))
    log.write_pending()
    end = read(log, 0, 5000)[-1].next_offset
    truncate_log(log, end - 3)
    for _ in range(600):
        append(log, make_batch(size=170))
    log.write_pending()
    assert [h.base_offset for h in read(log, end, 900)][:2] == [end, end + 1]


def test_a_full_segment_is_followed_by_another(tmp_path: Path) -> None:
    log = a_log(tmp_path, LogConfig(segment_bytes=2500))
    for _ in range(6):
        append(log, make_batch(size=1000))
    log.write_pending()
    assert [s.base_offset for s in log.segments] == [0, 2, 4]
    assert [h.base_offset for h in read(log, 0)] == [0, 1]
    assert [h.base_offset for h in read(log, 3)] == [3]
    assert [h.base_offset for h in read(log, 5)] == [5]
    assert (tmp_path / "00000000000000000004.snapshot").exists()


def test_time_between_records_begins_a_segment(tmp_path: Path) -> None:
    log = a_log(tmp_path, LogConfig(segment_ms=1000, message_timestamp_after_max_ms=10_000))
    for timestamp in (100, 1100, 1101, 1200):
        append(log, make_batch(timestamp=timestamp))
    assert [s.base_offset for s in log.segments] == [0, 2]


def test_a_full_index_begins_a_segment(tmp_path: Path) -> None:
    log = a_log(tmp_path, LogConfig(segment_index_bytes=36, index_interval_bytes=0))
    for number in range(8):
        append(log, make_batch(timestamp=1000 + number))
    assert [s.base_offset for s in log.segments] == [0, 3, 6]


def test_a_smaller_index_is_full_at_once(tmp_path: Path) -> None:
    log = a_log(tmp_path, LogConfig(index_interval_bytes=0))
    for number in range(4):
        append(log, make_batch(timestamp=1000 + number))
    log.configure(LogConfig(segment_index_bytes=36, index_interval_bytes=0))
    append(log, make_batch(timestamp=1004))
    assert [s.base_offset for s in log.segments] == [0, 4]


def test_append_time_is_stamped_over_the_producers(tmp_path: Path) -> None:
    log = a_log(tmp_path, LogConfig(message_timestamp_type="LogAppendTime"))
    assert append(log, make_batch(2, timestamp=1)).append_time_ms == NOW
    log.write_pending()
    (header,) = read(log, 0)
    assert (header.log_append_time, header.max_timestamp) == (True, NOW)


@pytest.mark.parametrize(
    ("config", "batch", "code"),
    [
        (LogConfig(max_message_bytes=100), make_batch(size=200), ErrorCode.MESSAGE_TOO_LARGE),
        (LogConfig(segment_bytes=199), make_batch(size=200), ErrorCode.RECORD_LIST_TOO_LARGE),
        (
            LogConfig(message_timestamp_after_max_ms=10),
            make_batch(timestamp=NOW + 11),
            ErrorCode.INVALID_TIMESTAMP,
        ),
        (
            LogConfig(message_timestamp_before_max_ms=10),
            make_batch(timestamp=NOW - 11),
            ErrorCode.INVALID_TIMESTAMP,
        ),
        (
            LogConfig(message_timestamp_before_max_ms=10),
            make_batch(3, timestamp=NOW, step=-6),
            ErrorCode.INVALID_TIMESTAMP,
        ),
        (
            LogConfig(cleanup_policy=frozenset({"delete", "compact"})),
            make_batch(),
            ErrorCode.INVALID_RECORD,
        ),
    ],
)
def test_a_refused_batch_leaves_the_log_as_it_was(
    tmp_path: Path, config: LogConfig, batch: bytearray, code: ErrorCode
) -> None:
    log = a_log(tmp_path, config)
    with pytest.raises(RefusedRecords) as refused:
        append(log, batch)
    assert refused.value.code == code
    assert log.end_offset == 0
    assert log.append(memoryview(batch), leader_epoch=0, now_ms=NOW, internal=True).base_offset == 0


def test_segments_roll_by_time_less_a_jitter_that_differs(tmp_path: Path) -> None:
    config = LogConfig(segment_ms=1000, segment_jitter_ms=600, message_timestamp_after_max_ms=ALL)
    log = a_log(tmp_path, config)
    for time_ms in range(0, 40_000, 10):
        append(log, make_batch(timestamp=time_ms + 1))
        log.write_pending()
    bases = [segment.base_offset for segment in log.segments]
    ages = [10 * (after - before) for before, after in pairwise(bases)]
    assert all(400 <= age <= 1010 for age in ages)
    assert len(set(ages)) > 5


def test_records_without_times_count_from_when_their_segment_was_made(tmp_path: Path) -> None:
    log = a_log(tmp_path, LogConfig(segment_ms=1000))
    log.segments.active.created_ms = NOW
    for now_ms in (NOW + 900, NOW + 1000, NOW + 1001, NOW + 2001, NOW + 2002):
        log.append(memoryview(make_batch(timestamp=-1)), leader_epoch=0, now_ms=now_ms)
    assert [segment.base_offset for segment in log.segments] == [0, 2, 4]


def test_a_repeated_batch_is_answered_with_its_first_place(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    append(log, make_batch(5))
    sent = [make_batch(2, producer=(9, 0, 2 * i)) for i in range(5)]
    first = [append(log, bytearray(batch)) for batch in sent]
    again = [append(log, bytearray(batch)) for batch in sent]
    assert all(info.duplicate for info in again)
    assert (
        [i[:2] for i in again]
        == [i[:2] for i in first]
        == [(5 + 2 * i, 6 + 2 * i) for i in range(5)]
    )
    assert log.end_offset == 15


def test_leader_epochs_know_where_they_end(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    for epoch in (0, 0, 3):
        append(log, make_batch(2), epoch=epoch)
    log.write_pending()
    assert [h.leader_epoch for h in read(log, 0)] == [0, 0, 3]
    assert [log.end_offset_for_epoch(e) for e in (0, 1, 3, 4)] == [(0, 4), (0, 4), (3, 6), (-1, -1)]


def test_a_log_that_cannot_write_is_offline(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    append(log, make_batch())
    log.segments.active.file.close()
    with pytest.raises(StorageError):
        log.write_pending()
    with pytest.raises(StorageError, match="offline"):
        append(log, make_batch())
    with pytest.raises(StorageError, match="offline"):
        log.read(0, 100, max_offset=ALL, min_one=True)
    with pytest.raises(StorageError, match="offline"):
        log.close(clean=True)


def test_a_closed_log_opens_where_it_was(tmp_path: Path) -> None:
    config = LogConfig(segment_bytes=2500)
    log = a_log(tmp_path, config)
    for i in range(5):
        append(log, make_batch(size=1000, producer=(9, 0, i)), epoch=i // 3)
    log.close(clean=True)
    again = open_log(
        RealDisk(), TopicPartition("dogs", 0), str(tmp_path), config, Checkpoint(5, 1, clean=True)
    )
    assert (again.start_offset, again.end_offset, again.leader_epoch) == (1, 5, 1)
    assert [h.base_offset for h in read(again, 4)] == [4]
    assert append(again, make_batch(size=1000, producer=(9, 0, 4))).duplicate
    assert append(again, make_batch(size=1000, producer=(9, 0, 5))).base_offset == 5


def test_a_segment_that_ends_within_a_batch_is_no_short_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = LogConfig(segment_bytes=1000)
    log = a_log(tmp_path, config)
    for _ in range(3):
        append(log, make_batch(size=600))
    log.close(clean=True)
    with (tmp_path / "00000000000000000000.log").open("r+b") as file:
        file.truncate(200)
    again = open_log(
        RealDisk(), TopicPartition("dogs", 0), str(tmp_path), config, Checkpoint(3, clean=True)
    )
    for _ in range(2):
        with pytest.raises(StorageError, match=r"\.log is damaged: it ends at byte 200, within"):
            read(again, 0)
    assert caplog.text.count("records cannot be read") == 1
    assert [header.base_offset for header in read(again, 1)] == [1]
