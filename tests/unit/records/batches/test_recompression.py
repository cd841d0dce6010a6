"""Batches in the codec that their topic stores."""

import pytest

from barnabas.errors import ErrorCode
from barnabas.records.batches.batch import crc_is_right, read_header
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.recompression import StoredCodec
from barnabas.records.batches.refused import RefusedRecords
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
