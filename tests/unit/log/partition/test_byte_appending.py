"""Appends to a log whose offsets are byte positions: where messages go, when a segment ends."""

from collections.abc import Sequence

import pytest

from barnabas.errors import CorruptRecord
from barnabas.log.partition.byte_appending import append_messages
from barnabas.log.partition.byte_reading import batches_from, message_start
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.partition.retention import drop_expired
from barnabas.log.partition.segment_offsets import offsets_by_segment
from barnabas.log.recovery.opening import create_log, open_log
from barnabas.log.segments.log_config import MAGIC_07, LogConfig
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.records.messages07 import from_message07
from barnabas.records.messages07.message07 import encode_message, encode_set
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk

pytestmark = pytest.mark.kernels

NOW = 1_000_000
SMALL = encode_message(b"42")
"""12 bytes."""
PLACE = TopicPartition("t", 0)


def log_of(config: LogConfig) -> tuple[PartitionLog, MemoryDisk]:
    disk = MemoryDisk()
    disk.make_directory("logs")
    return create_log(disk, PLACE, "logs/t-0", config, bytes(16)), disk


def append(log: PartitionLog, *sets: bytes, now_ms: int = NOW) -> Sequence[int]:
    found = [append_messages(log, memoryview(one), now_ms=now_ms).base_offset for one in sets]
    log.write_pending()
    return found


def starts(log: PartitionLog) -> list[int]:
    return [segment.base_offset for segment in log.segments]


def read(log: PartitionLog, offset: int, most: int = 1 << 20) -> list[tuple[int, bytes | None]]:
    made = batches_from(log, offset, most, min_one=True)
    assert made is not None
    return [(one.offset, one.value) for one in decode_records(made, "t", 0, start=offset)[0]]


def test_offsets_are_where_messages_begin() -> None:
    log, _ = log_of(LogConfig(magic=MAGIC_07))
    assert append(log, SMALL, SMALL + SMALL, b"", SMALL) == [0, 12, 36, 36]
    assert (log.end_offset, log.written_end) == (48, 48)


def test_a_segment_ends_later_where_none_may_begin() -> None:
    log, _ = log_of(LogConfig(magic=MAGIC_07, segment_bytes=20))
    for rolls in (True, True, False, False, True):
        append_messages(log, memoryview(SMALL), now_ms=NOW, rolls=rolls)
        log.write_pending()
    assert starts(log) == [0, 48]


def test_a_segment_ends_behind_its_limit_and_never_inside_a_set() -> None:
    """Kafka 0.7's own test: segments of 100 bytes and 20 sets of 12 begin at 0, 108 and 216."""
    log, disk = log_of(LogConfig(magic=MAGIC_07, segment_bytes=100))
    append(log, *[SMALL] * 20)
    assert starts(log) == [0, 108, 216]
    append(log, SMALL * 30, SMALL)
    assert starts(log) == [0, 108, 216, 600]
    assert disk.size("logs/t-0/00000000000000000216.kafka") == 384


def test_a_segment_ends_when_it_is_old() -> None:
    log, _ = log_of(LogConfig(magic=MAGIC_07, segment_ms=1000))
    append(log, SMALL)
    append(log, SMALL, now_ms=NOW + 1000)
    append(log, SMALL, now_ms=NOW + 1001)
    assert starts(log) == [0, 24]


def test_what_was_stopped_in_order_goes_on_where_it_was() -> None:
    config = LogConfig(magic=MAGIC_07, segment_bytes=100)
    log, disk = log_of(config)
    append(log, *[SMALL] * 20)
    log.close(clean=True)
    again = open_log(disk, PLACE, "logs/t-0", config)
    assert starts(again) == [0, 108, 216]
    assert append(again, SMALL) == [240]
    assert read(again, 216) == [(216, b"42"), (228, b"42"), (240, b"42")]


def test_old_segments_go_by_size() -> None:
    log, _ = log_of(
        LogConfig(magic=MAGIC_07, segment_bytes=100, retention_bytes=130, retention_ms=-1)
    )
    append(log, *[SMALL] * 20)
    assert [one.base_offset for one in drop_expired(log, NOW)] == [0]
    assert (log.start_offset, log.end_offset) == (108, 240)
    assert offsets_by_segment(log, -2, 1, NOW) == [108]


def test_readers_of_today_may_begin_inside_a_message() -> None:
    """They continue after the last offset they saw, which is the first byte of a message."""
    log, _ = log_of(LogConfig(magic=MAGIC_07))
    append(log, encode_set([b"a", b"bb", b"ccc"]))
    assert read(log, 0) == [(0, b"a"), (11, b"bb"), (23, b"ccc")]
    assert read(log, 11) == [(11, b"bb"), (23, b"ccc")]
    assert read(log, 12) == [(23, b"ccc")]


def test_records_of_a_compressed_message_have_its_first_bytes() -> None:
    log, _ = log_of(LogConfig(magic=MAGIC_07))
    wrapper = encode_set([b"a", b"b", b"c"], codec=Codec.SNAPPY)
    append(log, SMALL, wrapper, SMALL)
    end = 12 + len(wrapper)
    assert read(log, 12) == [(12, b"a"), (13, b"b"), (14, b"c"), (end, b"42")]
    assert read(log, 14) == [(14, b"c"), (end, b"42")]
    made = batches_from(log, 12, 1, min_one=True)
    assert made is not None
    assert decode_records(made, "t", 0, start=12)[1] == end


def test_reading_ends_at_whole_messages() -> None:
    log, _ = log_of(LogConfig(magic=MAGIC_07))
    append(log, SMALL * 3)
    assert read(log, 0, most=30) == [(0, b"42"), (12, b"42")]
    assert read(log, 12, most=1) == [(12, b"42")]
    assert batches_from(log, 36, 100, min_one=True) is None
    assert batches_from(log, 0, 5, min_one=False) is None


def test_who_has_seen_the_last_of_a_segment_gets_the_next_one() -> None:
    """In formats before batches nothing else would say that there is more."""
    log, _ = log_of(LogConfig(magic=MAGIC_07, segment_bytes=20))
    wrapper = encode_set([b"a", b"b"], codec=Codec.GZIP)
    append(log, SMALL, SMALL, wrapper, SMALL)
    assert starts(log) == [0, 24, 24 + len(wrapper)]
    assert read(log, 13) == [(24, b"a"), (25, b"b")]
    assert read(log, 26) == [(24 + len(wrapper), b"42")]
    assert batches_from(log, log.end_offset - 1, 100, min_one=True) is None


def test_what_holds_no_message_is_passed_over() -> None:
    log, _ = log_of(LogConfig(magic=MAGIC_07))
    empty = encode_message(bytes.fromhex("82534e41505059000000000100000001"), codec=Codec.SNAPPY)
    append(log, empty, SMALL)
    made = batches_from(log, 0, 1, min_one=True)
    assert made is not None
    assert decode_records(made, "t", 0)[1] == len(empty) + len(SMALL)
    assert read(log, 0) == [(len(empty), b"42")]


def test_no_more_compressed_messages_are_opened_at_once_than_are_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A few megabytes of them may be gigabytes."""
    log, _ = log_of(LogConfig(magic=MAGIC_07))
    wrapper = encode_set([bytes(1000)], codec=Codec.GZIP)
    size = len(wrapper)
    append(log, SMALL, *[wrapper] * 4, SMALL)
    monkeypatch.setattr(from_message07, "_ENOUGH", 1500)
    first, second = 12, 12 + size
    assert [at for at, _ in read(log, 0)] == [0, first, second]
    assert [at for at, _ in read(log, second + 1)] == [second + size, second + 2 * size]
    assert read(log, second + 2 * size + 1) == [(second + 3 * size, b"42")]


def test_compressed_messages_share_what_may_come_out_of_them() -> None:
    wrapper = encode_set([bytes(1000)], codec=Codec.GZIP)
    made = from_message07.batches_of(wrapper * 2, 0, 0, limit=1500)
    assert [one.offset for one in decode_records(made.data, "t", 0)[0]] == [0]
    with pytest.raises(CorruptRecord):
        from_message07.batches_of(wrapper * 2, 0, 0, limit=1000)


def test_a_byte_belongs_to_the_message_that_has_it() -> None:
    log, _ = log_of(LogConfig(magic=MAGIC_07, segment_bytes=20))
    append(log, SMALL + encode_message(b"123"), SMALL)
    assert starts(log) == [0, 25]
    asked = (0, 1, 11, 12, 13, 24, 25, 26, 36, 37)
    assert [message_start(log, offset) for offset in asked] == [0, 0, 0, 12, 12, 12, 25, 25, 25, 37]


def test_a_long_set_has_entries_in_the_index() -> None:
    """What is behind an entry is read message by message: 30 MB of them took a second."""
    log, _ = log_of(LogConfig(magic=MAGIC_07))
    append(log, SMALL * 30_000)
    append(log, SMALL)
    segment = log.segments.active
    for offset in (0, 65_536, 200_000, 360_011):
        found = segment.find(offset)
        assert found is not None
        assert found.base_offset == offset // len(SMALL) * len(SMALL)
        assert offset - segment.position_for(offset) <= 2 * (65_536 + len(SMALL))
    assert read(log, 200_000, 100)[0] == (200_004, b"42")
