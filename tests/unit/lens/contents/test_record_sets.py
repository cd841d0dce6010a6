"""Record sets since 0.8 down to each record, and what their authors do wrong."""

import zlib
from collections.abc import Callable
from struct import pack, pack_into

import pytest

from barnabas.lens.contents.record_sets import read_records
from barnabas.lens.walks.walk import Walk
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec
from tests.message_sets import message, wrapper
from tests.record_batches import make_batch

TIME = 1_700_000_000_000


def read(data: bytes, *, cut: bool = False) -> Walk:
    walk = Walk(bytes(data))
    read_records(walk, "r", cut=cut)
    assert walk.position == len(data)
    assert [part.start for part in walk.parts[1:]] == [part.end for part in walk.parts[:-1]]
    return walk


def mistakes(data: bytes) -> list[str]:
    return [str(fault) for fault in read(data).faults]


def built(codec: Codec) -> bytes:
    builder = BatchBuilder(codec, 1 << 20)
    builder.append(TIME, b"key", b"value" * 20, (("trace", b"1"), ("none", None)))
    builder.append(TIME + 5, None, None, ())
    return bytes(builder.build())


@pytest.mark.parametrize("codec", list(Codec))
def test_each_record_of_a_batch_is_reported(codec: Codec) -> None:
    walk = read(built(codec))
    assert not walk.faults
    parts = walk.parts
    if codec:
        assert parts[-1].inside is not None
        parts = [*parts, *parts[-1].inside.parts]
    reported = [(part.path, part.value) for part in parts]
    for path, value in (
        ("r.batches[0].count", 2),
        ("r.batches[0].records[0].key", b"key"),
        ("r.batches[0].records[0].headers[0].key", "trace"),
        ("r.batches[0].records[0].headers[1].value", None),
        ("r.batches[0].records[1].timestamp_delta", 5),
        ("r.batches[0].records[1].value", None),
    ):
        assert (path, value) in reported


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
@pytest.mark.parametrize("timestamp", [None, TIME])
def test_each_message_of_an_old_set_is_reported(codec: Codec, timestamp: int | None) -> None:
    inner = [message(at, b"k", b"v%d" % at, timestamp=timestamp) for at in range(2)]
    data = wrapper(1, inner, codec, timestamp=timestamp) if codec else b"".join(inner)
    walk = read(data)
    assert not walk.faults
    parts = walk.parts
    if codec:
        assert parts[-1].inside is not None
        parts = list(parts[-1].inside.parts)
    assert [part.value for part in parts if part.path.endswith(".value")][1::2] == [b"v0", b"v1"]


def with_crc(made: Callable[[bytes], int], start: int, order: str = ">") -> bytes:
    batch = make_batch()
    pack_into(f"{order}I", batch, 17, made(bytes(batch[start:])))
    return bytes(batch)


@pytest.mark.parametrize(
    ("batch", "guess"),
    [
        (with_crc(zlib.crc32, 21), "it is CRC-32, not CRC-32C"),
        (with_crc(crc32c, 21, "<"), "its bytes are in little-endian order"),
        (with_crc(crc32c, 61), "it covers the records only"),
        (with_crc(crc32c, 16), ""),  # it was made when there was another CRC in it
        (with_crc(zlib.crc32, 61), "it is CRC-32, not CRC-32C and it covers the records only"),
    ],
    ids=["crc-32", "little-endian", "records only", "with itself", "both"],
)
def test_a_wrong_crc_of_a_batch(batch: bytes, guess: str) -> None:
    (fault,) = read(batch).faults
    assert fault.position == 17
    assert fault.text.startswith("the CRC-32C of bytes 21 to ")
    assert fault.guess == guess


def test_a_wrong_crc_of_a_message() -> None:
    data = bytearray(message(0, b"key", b"value"))
    pack_into(">I", data, 12, zlib.crc32(b"value"))
    assert mistakes(bytes(data))[0].endswith("(perhaps it covers the value only, as in 0.7)")
    pack_into(">I", data, 12, crc32c(bytes(data[16:])))
    assert mistakes(bytes(data))[0].endswith("(perhaps it is CRC-32C, not CRC-32)")


@pytest.mark.parametrize(
    ("more", "guess"),
    [(12, "it counts the 12 bytes of offset and length too"), (4, "it counts its own 4 bytes too")],
)
def test_lengths_that_count_too_much(more: int, guess: str) -> None:
    for data in (make_batch(), bytearray(message(0, None, b"v"))):
        pack_into(">i", data, 8, len(data) - 12 + more)
        assert [fault.guess for fault in read(bytes(data)).faults] == [guess]


def test_numbers_without_zigzag() -> None:
    record = bytes((8, 0, 0, 0, 1, 0x6B, 1, 0x76, 0))
    batch = make_batch()[:61] + record
    pack_into(">i", batch, 8, len(batch) - 12)
    pack_into(">I", batch, 17, crc32c(bytes(batch[21:])))
    (fault,) = read(bytes(batch)).faults
    assert fault.guess == "the numbers are not zigzag: 6 should be the byte 0x0c"
    assert fault.position >= 61


def test_a_set_may_be_cut_where_brokers_cut() -> None:
    data = bytes(make_batch(2)) + bytes(make_batch())
    for end in range(len(data)):
        assert not read(data[:end], cut=True).faults
    assert mistakes(data[:-1])
    old = message(0, b"k", b"v") * 2
    for end in range(len(old)):
        assert not read(old[:end], cut=True).faults


def test_damage_inside_of_what_is_compressed() -> None:
    data = bytearray(built(Codec.GZIP))
    data[-20] ^= 1
    pack_into(">I", data, 17, crc32c(bytes(data[21:])))
    (fault,) = read(bytes(data)).faults
    assert fault.position == 61
    assert "gzip expected" in fault.text


def test_counts_and_what_is_left_over() -> None:
    batch = make_batch(2)
    pack_into(">i", batch, 57, 3)
    pack_into(">I", batch, 17, crc32c(bytes(batch[21:])))
    assert [fault.text for fault in read(bytes(batch)).faults] == [
        "3 records do not fit a last offset delta of 1",
        "3 records expected, the batch ends behind 2",
    ]
    wrong = bytearray(make_batch())
    wrong[16] = 9
    assert mistakes(bytes(wrong)) == [
        "byte 16: r.batches[0].magic: a magic of 0, 1 or 2 expected, not 9"
    ]


def test_the_end_of_a_transaction_is_reported() -> None:
    key, value = pack(">hh", 0, 1), pack(">hi", 0, 7)
    record = bytes((0, 0, 0)) + bytes((8,)) + key + bytes((12,)) + value + bytes((0,))
    record = bytes((2 * len(record),)) + record
    batch = make_batch(attributes=0x30)[:61] + record
    pack_into(">i", batch, 8, len(batch) - 12)
    pack_into(">I", batch, 17, crc32c(bytes(batch[21:])))
    walk = read(bytes(batch))
    assert not walk.faults
    assert ("r.batches[0].records[0].key.type", "commit") in {
        (part.path, part.meaning) for part in walk.parts
    }
