import sys
from types import FrameType

import pytest

from barnabas import kernels
from barnabas.client.core.consumer.fetched import end_of, records_of
from barnabas.errors import DecodeError
from barnabas.protocol.fetch import PartitionData
from tests.message_sets import message


def batch(base_offset: int, delta: int, epoch: int = 3, size: int = 100) -> bytes:
    head = (
        base_offset.to_bytes(8) + (size - 12).to_bytes(4) + epoch.to_bytes(4) + b"\x02" + bytes(6)
    )
    return (head + delta.to_bytes(4)).ljust(size, b"\x00")


def test_the_end_is_behind_the_last_whole_batch() -> None:
    whole = batch(10, 4) + batch(20, 9, epoch=7)
    assert end_of(memoryview(whole)) == (200, 30, 7)
    assert end_of(memoryview(whole + batch(50, 1)[:80])) == (200, 30, 7)


@pytest.mark.parametrize("size", [0, 11, 60, 99])
def test_without_a_whole_batch_there_is_no_end(size: int) -> None:
    assert end_of(memoryview(batch(10, 4)[:size])) == (0, -1, -1)


def test_a_length_shorter_than_a_header_is_refused() -> None:
    broken = bytearray(batch(10, 4))
    broken[8:12] = (48).to_bytes(4)
    with pytest.raises(DecodeError, match="49 or more"):
        end_of(memoryview(broken))


def test_messages_of_old_formats_count_as_batches() -> None:
    old = message(4, None, b"v") + message(6, None, b"w", timestamp=5)
    assert end_of(memoryview(old)) == (len(old), 7, -1)
    assert end_of(memoryview(old[:-1])) == (len(message(4, None, b"v")), 5, -1)
    assert end_of(memoryview(old + batch(10, 4))) == (len(old) + 100, 15, 3)
    assert end_of(memoryview(batch(10, 4) + old)) == (len(old) + 100, 7, -1)
    assert end_of(memoryview(old[:20])) == (0, -1, -1)


def test_a_later_magic_counts_as_a_batch_between_others() -> None:
    later = bytearray(batch(20, 9, epoch=7))
    later[16] = 3
    assert end_of(memoryview(bytes(later))) == (100, 30, 7)
    assert end_of(memoryview(batch(10, 4) + later + batch(30, 0, epoch=8))) == (300, 31, 8)


@pytest.mark.skipif(kernels.implementation != "compiled", reason="uncompiled kernels are Python")
def test_batches_of_one_record_each_cost_no_call_each() -> None:
    many = memoryview(b"".join(batch(offset, 0, size=61) for offset in range(1000)))
    calls = 0

    def count(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        found = end_of(many)
    finally:
        sys.setprofile(None)
    assert found == (61_000, 1000, 3)
    assert calls < 50


def test_no_records_are_empty_records() -> None:
    data = PartitionData(partition_index=0, error_code=0, high_watermark=5, records=None)
    assert len(records_of(data)) == 0
