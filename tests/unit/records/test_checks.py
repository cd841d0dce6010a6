import struct

import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from barnabas.errors import ErrorCode
from barnabas.records.batch import crc_is_right, read_header, stamp
from barnabas.records.builder import BatchBuilder
from barnabas.records.checks import check_produced
from barnabas.records.checksums import crc32c
from barnabas.records.compression import Codec
from barnabas.records.refused import RefusedRecords

pytestmark = pytest.mark.kernels


def produced(codec: int = 0, producer_id: int = -1, sequence: int = -1) -> bytearray:
    builder = DefaultRecordBatchBuilder(2, codec, 0, producer_id, 0, sequence, 1 << 20)
    for index in range(4):
        builder.append(index, 1000 + index, b"key", b"value" * 20, [("h", b"1")])
    return bytearray(builder.build())


def with_crc(buffer: bytearray) -> bytearray:
    struct.pack_into(">I", buffer, 17, crc32c(memoryview(buffer)[21:]))
    return buffer


def refusal(buffer: bytes | bytearray, max_bytes: int = 1 << 20) -> RefusedRecords:
    with pytest.raises(RefusedRecords) as caught:
        check_produced(memoryview(buffer), max_bytes)
    return caught.value


@pytest.mark.parametrize("codec", range(5))
def test_a_good_batch_passes_and_gives_its_header(codec: int) -> None:
    buffer = produced(codec)
    header = check_produced(memoryview(buffer), len(buffer))
    assert (header.count, header.codec) == (4, codec)
    assert crc_is_right(buffer, header)


@pytest.mark.parametrize("size", [0, 1, 4000, 4096, 5000, 60_000])
def test_the_crc_is_looked_at_in_batches_of_any_size(size: int) -> None:
    builder = BatchBuilder(Codec.NONE, 1 << 20)
    builder.append(1000, None, bytes(size), [])
    buffer = builder.build()
    assert check_produced(memoryview(buffer), len(buffer)) == read_header(buffer)
    buffer[30] ^= 1  # in the base timestamp, of which anything goes
    assert refusal(buffer).code == ErrorCode.CORRUPT_MESSAGE


def test_one_byte_over_the_limit_is_too_large() -> None:
    buffer = produced()
    assert refusal(buffer, len(buffer) - 1).code == ErrorCode.MESSAGE_TOO_LARGE


def test_a_wrong_crc_is_corrupt() -> None:
    buffer = produced()
    buffer[-1] ^= 1
    assert refusal(buffer).code == ErrorCode.CORRUPT_MESSAGE


@pytest.mark.parametrize("magic", [0, 1])
def test_old_formats_are_invalid_records(magic: int) -> None:
    buffer = produced()
    buffer[16] = magic
    assert refusal(buffer).code == ErrorCode.INVALID_RECORD


def test_a_magic_of_the_future_is_corrupt() -> None:
    buffer = produced()
    buffer[16] = 3
    assert refusal(buffer).code == ErrorCode.CORRUPT_MESSAGE


def test_nothing_and_two_batches_are_invalid() -> None:
    assert refusal(b"").code == ErrorCode.INVALID_RECORD
    assert refusal(produced() + produced()).code == ErrorCode.INVALID_RECORD


def test_a_cut_batch_is_no_batch_and_so_invalid() -> None:
    buffer = produced()
    for size in (10, 60, len(buffer) - 1):
        assert refusal(buffer[:size]).code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize(
    ("position", "value"),
    [
        (57, struct.pack(">i", 3)),  # count against last offset delta
        (23, struct.pack(">i", -1) + bytes(30) + struct.pack(">i", 0)),  # an empty batch
        (57, struct.pack(">i", -1)),
        (21, struct.pack(">h", 0x20)),  # a control batch
        (0, struct.pack(">q", 5)),  # an offset
        (43, struct.pack(">qhi", 7, 0, -1)),  # a producer without a sequence
    ],
)
def test_a_header_that_no_producer_writes_is_invalid(position: int, value: bytes) -> None:
    buffer = produced()
    buffer[position : position + len(value)] = value
    assert refusal(with_crc(buffer)).code == ErrorCode.INVALID_RECORD


def test_an_unknown_codec_is_unsupported() -> None:
    buffer = produced()
    buffer[22] = 6
    assert refusal(with_crc(buffer)).code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE


def test_a_bad_record_is_named() -> None:
    buffer = produced()
    length = (len(buffer) - 61) // 4
    buffer[61 + 2 * length + 4] = 0  # the offset delta of the third record
    error = refusal(with_crc(buffer))
    assert error.code == ErrorCode.INVALID_RECORD
    assert [index for index, _ in error.records] == [2]
    assert "record 2" in str(error)


def test_a_stored_batch_is_not_what_a_producer_sends() -> None:
    buffer = produced()
    stamp(buffer, len(buffer), 77, 1)
    assert crc_is_right(buffer, read_header(buffer))
    assert refusal(buffer).code == ErrorCode.INVALID_RECORD
