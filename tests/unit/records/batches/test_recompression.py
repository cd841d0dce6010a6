"""Batches in the codec that their topic stores."""

import pytest

from barnabas.errors import ErrorCode
from barnabas.records.batches.batch import crc_is_right, read_header
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.recompression import StoredCodec
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records

pytestmark = pytest.mark.kernels

LARGE = 1 << 20


def batch(codec: Codec) -> memoryview:
    builder = BatchBuilder(codec, LARGE)
    for index in range(100):
        builder.append(1000 + index, b"key %d" % index, b"value " * 10, [("h", b"1")])
    return memoryview(builder.build(producer_id=7, producer_epoch=1, base_sequence=5))


@pytest.mark.parametrize("target", Codec)
@pytest.mark.parametrize("source", Codec)
def test_records_stay_whatever_they_are_stored_in(source: Codec, target: Codec) -> None:
    came = batch(source)
    stored, header = StoredCodec(target).recompress(came, read_header(came), LARGE)
    assert header == read_header(stored) == check_produced(stored, LARGE)
    assert header.codec == target
    assert crc_is_right(stored, header)
    assert decode_records(stored, "t", 0)[0] == decode_records(batch(Codec.NONE), "t", 0)[0]
    kept = ("attributes", "size", "crc", "position")
    assert {k: v for k, v in header._asdict().items() if k not in kept} == {
        k: v for k, v in read_header(came)._asdict().items() if k not in kept
    }


@pytest.mark.parametrize("codec", Codec)
def test_a_batch_of_the_right_codec_is_not_touched(codec: Codec) -> None:
    came = batch(codec)
    stored, _ = StoredCodec(codec, 9).recompress(came, read_header(came), LARGE)
    assert stored is came


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.LZ4, Codec.ZSTD])
def test_a_level_makes_other_bytes(codec: Codec) -> None:
    came = batch(Codec.NONE)
    made = [
        bytes(StoredCodec(codec, level).recompress(came, read_header(came), LARGE)[0])
        for level in (1, 9)
    ]
    assert made[0] != made[1]


def test_what_is_too_large_afterwards_is_refused() -> None:
    came = batch(Codec.ZSTD)
    with pytest.raises(RefusedRecords) as refused:
        StoredCodec(Codec.NONE).recompress(came, read_header(came), len(came))
    assert refused.value.code == ErrorCode.MESSAGE_TOO_LARGE


def test_what_cannot_be_decompressed_is_invalid() -> None:
    came = batch(Codec.GZIP)
    came[61:80] = bytes(19)
    with pytest.raises(RefusedRecords) as refused:
        StoredCodec(Codec.LZ4).recompress(came, read_header(came), LARGE)
    assert refused.value.code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize(
    ("codec", "level", "size", "taken"),
    [
        (Codec.ZSTD, 22, 64 << 10, 22),
        (Codec.ZSTD, 22, 1 << 20, 9),
        (Codec.ZSTD, 5, 1 << 20, 5),
        (Codec.ZSTD, None, 1 << 20, 3),
        (Codec.ZSTD, None, 5 << 20, 1),
        (Codec.ZSTD, -5, 5 << 20, -5),
        (Codec.GZIP, 9, 1 << 20, 9),
        (Codec.GZIP, 9, 2 << 20, 1),
        (Codec.LZ4, 17, 2 << 20, 1),
        (Codec.SNAPPY, None, 2 << 20, None),
    ],
)
def test_what_is_large_gets_a_level_that_is_quick(
    codec: Codec, level: int | None, size: int, taken: int | None
) -> None:
    assert StoredCodec(codec, level).level_for(size) == taken


def test_all_of_a_request_together_is_large() -> None:
    came, levels = batch(Codec.NONE), []
    unpacking = Unpacking()
    for _ in range(12):
        StoredCodec(Codec.ZSTD, 22).recompress(came, read_header(came), LARGE, unpacking)
        levels.append(StoredCodec(Codec.ZSTD, 22).level_for(unpacking.compressed))
    assert (levels[0], levels[-1]) == (22, 15)
    assert unpacking.is_much
    unpacking.begin()
    assert not unpacking.is_much


@pytest.mark.parametrize("source", [Codec.NONE, Codec.LZ4])
def test_the_largest_batches_stay_as_they_came(source: Codec) -> None:
    most, bound = 16 << 20, 64 << 20
    for size, stays in ((most - 100, False), (most, True)):
        builder = BatchBuilder(source, bound)
        builder.append(0, None, bytes(size), [])
        came = memoryview(builder.build())
        stored, header = StoredCodec(Codec.ZSTD).recompress(came, read_header(came), bound)
        assert header == read_header(stored)
        assert (stored is came) == stays
        assert header.codec == (source if stays else Codec.ZSTD)
