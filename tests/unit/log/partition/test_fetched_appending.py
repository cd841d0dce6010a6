"""What a follower fetched is appended as it is: offsets, epochs, gaps."""

import pytest

from barnabas.errors import DecodeError
from barnabas.log.partition.fetched_appending import append_fetched, checked_end
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.log.recovery.opening import open_log
from barnabas.log.segments.log_config import LogConfig
from barnabas.records.batches.batch import stamp
from barnabas.records.codecs.compression import Codec
from barnabas.types import TopicPartition
from tests.memory_disk import MemoryDisk
from tests.message_sets import message, wrapper
from tests.record_batches import make_batch

pytestmark = pytest.mark.kernels


def batch(count: int, offset: int, epoch: int) -> bytes:
    made = bytearray(make_batch(count))
    stamp(made, len(made), offset, epoch)
    return bytes(made)


def a_log(config: LogConfig | None = None) -> PartitionLog:
    return open_log(MemoryDisk(), TopicPartition("dogs", 0), "/dogs-0", config or LogConfig())


def test_batches_keep_offsets_and_epochs_also_over_a_gap() -> None:
    log = a_log()
    given = batch(3, 0, 1) + batch(2, 10, 4)
    append_fetched(log, memoryview(given), 5000)
    assert (log.end_offset, log.written_end, log.epochs.entries()) == (12, 12, [(1, 0), (4, 10)])
    found = log.read(0, 1 << 20, max_offset=12, min_one=True).records
    assert found is not None
    assert found.read() == given


def test_a_segment_that_is_full_is_rolled_at_the_first_offset_of_the_next_batch() -> None:
    log = a_log(LogConfig(segment_bytes=len(batch(3, 0, 0))))
    append_fetched(log, memoryview(batch(3, 0, 0) + batch(3, 7, 0)), 5000)
    assert [segment.base_offset for segment in log.segments] == [0, 7]


def test_a_batch_that_is_cut_off_is_left_for_the_next_fetch() -> None:
    first, second = batch(3, 5, 0), batch(3, 8, 0)
    assert checked_end(memoryview(first + second[:-1]), 5) == (len(first), 8)
    assert checked_end(memoryview(second[:20]), 8) == (0, 8)


def test_the_first_batch_of_a_log_may_begin_with_deleted_records() -> None:
    given = memoryview(batch(10, 0, 0))
    assert checked_end(given, 4, is_first=True) == (len(given), 10)
    with pytest.raises(DecodeError, match="offset 10"):
        checked_end(given, 10, is_first=True)


def test_damage_and_offsets_that_were_there_are_refused() -> None:
    damaged = bytearray(batch(3, 0, 0))
    damaged[-1] ^= 1
    with pytest.raises(DecodeError, match="CRC"):
        checked_end(memoryview(damaged), 0)
    with pytest.raises(DecodeError, match="offset 2"):
        checked_end(memoryview(batch(3, 0, 0)), 2)


def test_messages_of_old_formats_keep_their_offsets_among_batches_and_end_what_epochs_are_known() -> (
    None
):
    log = a_log()
    append_fetched(log, memoryview(batch(3, 0, 4)), 5000)
    inner = [message(offset, None, b"woof", timestamp=7000) for offset in (0, 1, 2)]
    given = (
        message(3, None, b"zero")
        + message(9, b"key", b"one", timestamp=6000)
        + wrapper(12, inner, Codec.GZIP, timestamp=7000)
    )
    assert checked_end(memoryview(given + b"cut off"), 3) == (len(given), 13)
    append_fetched(log, memoryview(given), 5000)
    assert (log.end_offset, log.written_end, log.epochs.entries()) == (13, 13, [])
    append_fetched(log, memoryview(batch(2, 13, 6)), 5000)
    assert (log.end_offset, log.epochs.entries()) == (15, [(6, 13)])
    found = log.read(4, 1 << 20, max_offset=15, min_one=True).records
    assert found is not None
    assert found.read() == given[len(message(3, None, b"zero")) :] + batch(2, 13, 6)
    opened = open_log(log.disk, log.topic_partition, log.directory, LogConfig())
    assert (opened.end_offset, opened.epochs.entries()) == (15, [(6, 13)])


def test_a_segment_that_is_full_is_rolled_before_an_old_message_at_the_end_of_the_log() -> None:
    # Where a compressed one begins cannot be seen: it may be as far before its end as a segment reaches.
    one = message(0, None, b"woof", timestamp=5000)
    log = a_log(LogConfig(segment_bytes=len(one)))
    far = 1 << 33
    given = one + wrapper(4, [one], Codec.GZIP, timestamp=5000) + message(far, None, b"woof")
    append_fetched(log, memoryview(given), 5000)
    assert [one.base_offset for one in log.segments] == [0, 1, far - (1 << 31) + 1]
    assert log.end_offset == far + 1


def test_old_messages_that_are_damaged_or_were_there_are_refused() -> None:
    damaged = bytearray(message(0, None, b"woof"))
    damaged[-1] ^= 1
    with pytest.raises(DecodeError, match="CRC"):
        checked_end(memoryview(damaged), 0)
    with pytest.raises(DecodeError, match="offset 2"):
        checked_end(memoryview(message(1, None, b"woof")), 2)
