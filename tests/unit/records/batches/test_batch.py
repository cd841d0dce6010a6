import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from barnabas.errors import DecodeError
from barnabas.records.batches import batch


def made_by_aiokafka(count: int = 3, *, codec: int = 0, producer_id: int = 7) -> bytearray:
    builder = DefaultRecordBatchBuilder(2, codec, 1, producer_id, 2, 40, 1 << 20)
    for index in range(count):
        builder.append(index, 1000 + index, b"key", b"value", [("h", b"1")])
    return bytearray(builder.build())


def test_reads_every_field_of_a_header() -> None:
    header = batch.read_header(made_by_aiokafka())
    assert (header.base_offset, header.last_offset_delta, header.count) == (0, 2, 3)
    assert (header.base_timestamp, header.max_timestamp) == (1000, 1002)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 2, 40)
    assert (header.magic, header.codec, header.last_sequence) == (2, 0, 42)
    assert header.transactional
    assert not header.control
    assert not header.log_append_time
    assert not header.has_delete_horizon


def test_sequences_wrap_after_the_largest_int32() -> None:
    header = batch.read_header(made_by_aiokafka())._replace(base_sequence=2**31 - 1)
    assert header.last_sequence == 1


def test_walk_finds_whole_batches_and_stops_at_a_cut_one() -> None:
    one = made_by_aiokafka()
    for missing in (1, len(one) - 20, len(one) - 5):
        buffer = bytes(one + one + one[: len(one) - missing])
        assert [header.position for header in batch.walk(buffer)] == [0, len(one)]
    assert [header.end for header in batch.walk(bytes(one + one), len(one))] == [2 * len(one)]


@pytest.mark.parametrize("at", [8, 16])
def test_walk_raises_at_nonsense_behind_whole_batches(at: int) -> None:
    one = made_by_aiokafka()
    bad = bytearray(one)
    bad[at] = 0xFF
    walked = batch.walk(bytes(one + bad))
    assert next(walked).position == 0
    with pytest.raises(DecodeError, match="batch"):
        next(walked)


def test_a_header_must_be_whole() -> None:
    with pytest.raises(DecodeError, match="61 bytes"):
        batch.read_header(made_by_aiokafka()[:60])


def test_stamping_offset_and_epoch_keeps_the_crc() -> None:
    buffer = bytearray(5) + made_by_aiokafka()
    batch.stamp(memoryview(buffer)[5:], len(buffer) - 5, 1 << 40, 9)
    header = batch.read_header(buffer, 5)
    assert (header.base_offset, header.leader_epoch, header.next_offset) == (
        1 << 40,
        9,
        (1 << 40) + 3,
    )
    assert batch.crc_is_right(buffer, header)


def test_stamping_the_append_time_makes_a_new_crc() -> None:
    buffer = made_by_aiokafka()
    batch.stamp_append_time(buffer, batch.read_header(buffer), 123_456)
    header = batch.read_header(buffer)
    assert (header.max_timestamp, header.log_append_time) == (123_456, True)
    assert header.transactional
    assert batch.crc_is_right(buffer, header)


def test_a_changed_byte_is_noticed() -> None:
    buffer = made_by_aiokafka()
    buffer[-1] ^= 1
    assert not batch.crc_is_right(buffer, batch.read_header(buffer))
