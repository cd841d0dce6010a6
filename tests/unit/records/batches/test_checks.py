import random
import struct

import pytest
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from barnabas.errors import ErrorCode
from barnabas.records.batches.batch import crc_is_right, read_header, stamp
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import REQUEST_MOST, UNPACKED_MOST, Unpacking
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec, compress
from barnabas.records.codecs.lz4_frames import rightly_summed
from tests.record_batches import make_batch, seal

pytestmark = pytest.mark.kernels


def produced(codec: int = 0, producer_id: int = -1, sequence: int = -1) -> bytearray:
    builder = DefaultRecordBatchBuilder(2, codec, 0, producer_id, 0, sequence, 1 << 20)
    for index in range(4):
        builder.append(index, 1000 + index, b"key", b"value" * 20, [("h", b"1")])
    return bytearray(builder.build())


def holding(codec: Codec, records: bytes, count: int) -> bytearray:
    """A batch that says it has so many records, and has these bytes compressed."""
    batch = make_batch(count)[:61] + compress(codec, records)
    struct.pack_into(">h", batch, 21, codec)
    seal(batch)
    return batch


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


COMPRESSED = [codec for codec in Codec if codec]
THREE = bytes(make_batch(3, size=300)[61:])


@pytest.mark.parametrize("codec", COMPRESSED)
@pytest.mark.parametrize(
    ("records", "count"),
    [
        (b"\xff" * 300, 3),
        (bytes(300), 3),
        (b"", 3),
        (THREE, 1000),
        (THREE, 2),
        (THREE + b"more", 3),
        (THREE[len(THREE) // 3 :], 2),  # offsets from 1 on
    ],
)
def test_compressed_records_are_gone_through(codec: Codec, records: bytes, count: int) -> None:
    assert refusal(holding(codec, records, count)).code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", COMPRESSED)
def test_what_cannot_be_decompressed_is_refused_for_good(codec: Codec) -> None:
    batch = holding(codec, THREE, 3)
    for body in (b"nothing of the kind" * 2, batch[61:-3]):
        bad = batch[:61] + body
        seal(bad)
        error = refusal(bad)
        assert error.code == ErrorCode.UNKNOWN_SERVER_ERROR
        assert not error.code.retriable


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("stated", [-1, 0, 1_000, 10**15])
def test_the_greatest_time_is_that_of_the_records(codec: Codec, stated: int) -> None:
    buffer = produced(codec)
    struct.pack_into(">q", buffer, 35, stated)
    with_crc(buffer)
    header = check_produced(memoryview(buffer), len(buffer))
    assert header.max_timestamp == 1003
    assert header == read_header(buffer)
    assert crc_is_right(buffer, header)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4])
def test_a_producer_does_not_say_that_a_broker_gave_the_time(codec: Codec) -> None:
    buffer = produced(codec)
    struct.pack_into(">h", buffer, 21, codec | 8)
    struct.pack_into(">q", buffer, 35, 77)
    header = check_produced(memoryview(with_crc(buffer)), len(buffer))
    # All records of such a batch have the time of its header: so Kafka.
    assert (header.max_timestamp, header.attributes) == (77, codec)
    assert header == read_header(buffer)
    assert crc_is_right(buffer, header)


@pytest.mark.parametrize("size", [1, 3000, 70_000, 1_500_000, 9_000_000])
@pytest.mark.parametrize("codec", COMPRESSED)
def test_records_of_any_size_are_unpacked(codec: Codec, size: int) -> None:
    builder = BatchBuilder(codec, 1 << 24)
    builder.append(1000, None, bytes(size), [])
    buffer = builder.build()
    assert check_produced(memoryview(buffer), len(buffer)) == read_header(buffer)


@pytest.mark.parametrize("codec", COMPRESSED)
def test_what_unpacks_to_more_than_the_bound_is_too_large(codec: Codec) -> None:
    bomb = holding(codec, bytes(33 << 20), 1)
    if codec == Codec.SNAPPY:
        # It makes of a byte 21 at most, but states its size: here 64 MiB.
        bomb[61:] = b"\x80\x80\x80\x20" + bytes(36)
        seal(bomb)
    assert refusal(bomb).code == ErrorCode.MESSAGE_TOO_LARGE


def test_a_request_of_many_bombs_has_two_opened() -> None:
    bomb = holding(Codec.ZSTD, bytes(31 << 20), 1)
    unpacking = Unpacking()
    codes = []
    for _ in range(4):
        with pytest.raises(RefusedRecords) as caught:
            check_produced(memoryview(bomb), 1 << 20, unpacking)
        codes.append(caught.value.code)
    opened = [ErrorCode.INVALID_RECORD] * 2
    assert codes == [*opened, ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.MESSAGE_TOO_LARGE]
    unpacking.begin()
    assert check_produced(memoryview(produced(Codec.ZSTD)), 1 << 20, unpacking).count == 4


def test_a_large_batch_has_a_bound_of_its_own() -> None:
    """20 MB that unpacked to 300 took as much of memory, and a batch may have 100 MB."""
    plain = bytearray(UNPACKED_MOST + 1)
    plain[: 9 << 20] = random.Random(1).randbytes(9 << 20)
    bomb = memoryview(holding(Codec.ZSTD, bytes(plain), 1))
    assert len(bomb) > UNPACKED_MOST // 16
    with pytest.raises(RefusedRecords) as caught:
        check_produced(bomb, len(bomb))
    assert caught.value.code == ErrorCode.MESSAGE_TOO_LARGE


def test_a_produce_request_unpacks_so_much_in_all() -> None:
    def batch(codec: Codec) -> memoryview:
        builder = BatchBuilder(codec, 1 << 20)
        builder.append(1000, None, random.Random(2).randbytes(6000), [])
        return memoryview(builder.build())

    unpacking = Unpacking(10_000)
    check_produced(batch(Codec.ZSTD), 1 << 20, unpacking)
    check_produced(batch(Codec.GZIP), 1 << 20, unpacking)
    with pytest.raises(RefusedRecords, match="too much in all"):
        check_produced(batch(Codec.LZ4), 1 << 20, unpacking)
    check_produced(batch(Codec.NONE), 1 << 20, unpacking)
    unpacking.begin()
    check_produced(batch(Codec.LZ4), 1 << 20, unpacking)


@pytest.mark.parametrize("megabytes", [1, 5])
def test_what_takes_long_to_unpack_is_much(megabytes: int) -> None:
    builder = BatchBuilder(Codec.LZ4, 1 << 24)
    builder.append(1000, None, random.Random(3).randbytes(megabytes << 20), [])
    unpacking = Unpacking(REQUEST_MOST)
    check_produced(memoryview(builder.build()), 1 << 24, unpacking)
    assert unpacking.is_much is (megabytes > 4)


def test_records_of_the_usual_ratio_are_never_too_many_for_a_request() -> None:
    builder = BatchBuilder(Codec.LZ4, 1 << 20)
    for index in range(2000):
        builder.append(1000, None, b"%d" % (index * 7919) * 20, [])
    batch = memoryview(builder.build())
    unpacking = Unpacking()
    for _ in range(100):
        check_produced(batch, 1 << 20, unpacking)
    unpacking.check()


def lz4(
    *parts: bytes, flags: int = 0x60, limit: int = 0x40, more: bytes = b"", sum_: bytes = b""
) -> bytes:
    """A frame whose blocks are these, not compressed, each with `sum_` behind it."""
    head = b"\x04\x22\x4d\x18" + bytes((flags, limit)) + more + bytes(1)
    blocks = b"".join(struct.pack("<I", 1 << 31 | len(part)) + part + sum_ for part in parts)
    return bytes(rightly_summed(head)) + blocks + bytes(4)


RECORDS = bytes(make_batch(2, size=200)[61:])
HALVES = RECORDS[:50], RECORDS[50:]
SKIPPED = struct.pack("<II", 0x184D2A50, 0)


@pytest.mark.parametrize(
    "packed",
    [
        lz4(RECORDS, flags=0x40),  # blocks that depend on each other
        lz4(RECORDS, flags=0x61, more=bytes(4)),  # with a dictionary
        lz4(RECORDS, limit=0xC0),
        lz4(RECORDS, limit=0x41),
        lz4(RECORDS, flags=0x70, sum_=b"oops"),
        lz4(HALVES[0]) + lz4(HALVES[1]),
        lz4(HALVES[0], b"", HALVES[1]),
        SKIPPED + lz4(RECORDS),
        lz4(*(bytes((byte,)) for byte in RECORDS * 40)),
    ],
    ids=["linked", "dictionary", "reserved", "low", "sum", "frames", "empty", "skipped", "many"],
)
def test_lz4_that_consumers_of_kafka_stop_at_is_refused(packed: bytes) -> None:
    """Kafka 4.3 refuses them; stored, they stopped its consumers for ever."""
    assert refusal(stored_as_lz4(packed)).code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_lz4_in_several_blocks_passes() -> None:
    for packed in (lz4(RECORDS), lz4(*HALVES), lz4(RECORDS, flags=0x68, more=bytes(8))):
        buffer = stored_as_lz4(packed)
        assert check_produced(memoryview(buffer), len(buffer)).count == 2


def stored_as_lz4(packed: bytes) -> bytearray:
    batch = make_batch(2)[:61] + packed
    struct.pack_into(">h", batch, 21, Codec.LZ4)
    seal(batch)
    return batch
