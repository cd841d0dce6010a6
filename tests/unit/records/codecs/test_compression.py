import gzip
import random
import struct
import tracemalloc
import zlib

import cramjam
import pytest

from barnabas.errors import CorruptRecord
from barnabas.records.codecs.block_limits import most_pieces
from barnabas.records.codecs.compression import (
    Codec,
    UnpackedTooLarge,
    compress,
    decompress,
    decompress_into,
    stated_size,
)
from barnabas.records.codecs.lz4_blocks import blocks_into, quick_frame, room_for, unlike_kafka
from barnabas.records.codecs.lz4_frames import rightly_summed
from fuzz.mutations import mutate

DATA = b'{"carrier":"UA","flight":1545,"origin":"EWR"}' * 3000
COMPRESSED = [codec for codec in Codec if codec]


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("data", [b"", b"x", DATA], ids=len)
def test_round_trip(codec: Codec, data: bytes) -> None:
    assert bytes(decompress(codec, compress(codec, data), len(DATA))) == data


@pytest.mark.parametrize("codec", COMPRESSED)
def test_never_more_than_the_limit(codec: Codec) -> None:
    packed = compress(codec, bytes(50_000_000))
    with pytest.raises(UnpackedTooLarge):
        decompress(codec, packed, 1_000_000)


@pytest.mark.parametrize("codec", COMPRESSED)
def test_damage_is_corrupt(codec: Codec) -> None:
    packed = bytes(compress(codec, DATA))
    for bad in (packed[: len(packed) // 2], b"\x00" * 40, packed[:-1]):
        with pytest.raises(CorruptRecord) as caught:
            decompress(codec, bad, len(DATA))
        assert not isinstance(caught.value, UnpackedTooLarge)


def test_an_unknown_codec_is_corrupt() -> None:
    with pytest.raises(CorruptRecord, match="codec 6"):
        decompress(6, DATA, 1000)


@pytest.mark.parametrize("level", [1, 3, 4, 6, 9])
def test_gzip_of_every_level_is_a_gzip_file_that_states_its_size(level: int) -> None:
    packed = bytes(compress(Codec.GZIP, DATA, level))
    assert gzip.decompress(packed) == DATA
    assert stated_size(Codec.GZIP, packed) == len(DATA)


def test_lz4_is_by_default_the_fast_one_of_kafkas_clients() -> None:
    text = random.Random(1).randbytes(3000).hex().encode() * 9
    assert compress(Codec.LZ4, text) == compress(Codec.LZ4, text, 1)
    assert len(compress(Codec.LZ4, text)) > len(compress(Codec.LZ4, text, 9))


def test_levels_are_the_codecs_own() -> None:
    sizes = [len(compress(Codec.GZIP, DATA, level)) for level in (1, 9)]
    assert sizes[0] > sizes[1]


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.ZSTD, Codec.LZ4])
def test_all_members_of_a_stream_are_read(codec: Codec) -> None:
    packed = bytes(compress(codec, DATA))
    assert bytes(decompress(codec, packed + packed, 1 << 20)) == DATA + DATA


def test_gzip_is_read_by_zlib() -> None:
    assert zlib.decompress(compress(Codec.GZIP, DATA), wbits=31) == DATA


def test_lz4_blocks_are_independent() -> None:
    flags = bytes(compress(Codec.LZ4, DATA))[4]
    assert flags >> 6 == 1  # the version of the frame format
    assert flags & 0x20  # KIP-57: brokers refuse linked blocks


def test_snappy_is_framed_in_blocks_of_32_kib() -> None:
    packed = bytes(compress(Codec.SNAPPY, DATA))
    assert packed[:16] == b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
    first = struct.unpack_from(">i", packed, 16)[0]
    assert bytes(cramjam.snappy.decompress_raw(packed[20 : 20 + first])) == DATA[: 32 * 1024]


def test_snappy_is_read_with_any_framing() -> None:
    raw = bytes(cramjam.snappy.compress_raw(DATA))
    little = (
        b"\x82SNAPPY\x00" + struct.pack("<iii", 1, 1, 0)[:8] + struct.pack(">i", len(raw)) + raw
    )
    assert bytes(decompress(Codec.SNAPPY, raw, len(DATA))) == DATA
    assert bytes(decompress(Codec.SNAPPY, little, len(DATA))) == DATA
    assert bytes(decompress(Codec.SNAPPY, little[:16], len(DATA))) == b""


@pytest.mark.parametrize("length", [-1, 1 << 30])
def test_a_snappy_block_beyond_the_end_is_corrupt(length: int) -> None:
    framed = b"\x82SNAPPY\x00" + struct.pack(">iii", 1, 1, length) + b"abc"
    with pytest.raises(CorruptRecord, match="beyond the end"):
        decompress(Codec.SNAPPY, framed, 1000)


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.ZSTD])
def test_what_data_says_about_its_size(codec: Codec) -> None:
    data = DATA[:9000]  # what shrinks to less than a thousandth is not believed
    assert stated_size(codec, compress(codec, data)) == len(data)


def test_a_size_that_is_not_true_costs_time_only() -> None:
    packed = bytearray(compress(Codec.GZIP, DATA))
    target = memoryview(bytearray(len(DATA)))
    assert decompress_into(Codec.GZIP, packed, target) == len(DATA)
    assert target == DATA
    assert decompress_into(Codec.GZIP, packed, target[:-1]) == -1
    assert stated_size(Codec.ZSTD, b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 30) == 35 * 1032


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_bad_data_costs_no_more_memory_than_good_data_could(codec: Codec) -> None:
    """The limit of a broker is far above what a few bytes can become."""
    bad = bytes(compress(codec, b"value " * 100))[:-20] + b"\xff" * 20
    if codec == Codec.SNAPPY:
        bad = b"\xff\xff\xff\xff\x07" + bad
    tracemalloc.start()
    with pytest.raises(CorruptRecord):
        decompress(codec, bad, 1 << 30)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def framed(data: bytes, **kind: bool) -> bytes:
    writer = cramjam.lz4.Compressor(**{"content_checksum": False, "block_linked": False, **kind})
    writer.compress(data)
    return bytes(writer.finish())


def unsummed(frame: bytes) -> bytes:
    """A frame without a stated size or sum of the content, without the sums of its blocks."""
    flags = frame[4] & ~0x10
    out = bytearray(rightly_summed(frame[:4] + bytes((flags,)) + frame[5:7] + bytes(1))[:7])
    at = 7
    while word := int.from_bytes(frame[at : at + 4], "little"):
        end = at + 4 + (word & 0x7FFFFFFF)
        out += frame[at:end]
        at = end + 4
    return bytes(out + bytes(4))


MIXED = random.Random(5).randbytes(90_000) + b"so it goes " * 20_000


@pytest.mark.parametrize("data", [b"", b"x", MIXED[:70_000], MIXED, MIXED[60_000:]])
def test_lz4_blocks_straight_to_their_place(data: bytes) -> None:
    room = bytearray(len(data))
    for frame in (quick_frame(data), unsummed(framed(data))):
        assert unlike_kafka(frame) == ""
        assert blocks_into(frame, memoryview(room)) == len(data)
        assert room == data
        if data:
            assert blocks_into(frame, memoryview(bytearray(len(data) - 1))) == -1


@pytest.mark.parametrize("data", [b"", b"x", b"xy" * 40, MIXED[:65_536], MIXED, MIXED[60_000:]])
def test_a_quick_frame_is_one_for_lz4s_own_decoder(data: bytes) -> None:
    frame = quick_frame(data)
    assert frame[:7].hex() == "04224d18604082"  # as of Java's producers
    assert bytes(cramjam.lz4.decompress(frame)) == data
    assert len(frame) <= 1.02 * len(framed(data))
    assert room_for(frame) == -(-len(data) // 65_536) * 65_536
    assert room_for(frame[:5]) == room_for(b"\0" + frame) == 0


def test_what_is_left_to_the_decoder_of_lz4_frames() -> None:
    room = memoryview(bytearray(len(MIXED)))
    whole = framed(MIXED)
    wrong_sum = whole[:6] + bytes((whole[6] ^ 1,)) + whole[7:]
    linked, summed = framed(MIXED, block_linked=True), framed(MIXED, content_checksum=True)
    others = (linked, summed, whole, unsummed(whole) * 2)
    for other in (*others, wrong_sum, whole[:-1], whole[:-4], whole[:50], whole[:6], MIXED):
        assert blocks_into(other, room) == -1
    for other in others[:3]:
        assert decompress_into(Codec.LZ4, other, room) == len(MIXED)
    assert unlike_kafka(summed) == unlike_kafka(whole) == unlike_kafka(whole[:-1]) == ""
    assert "depend on each other" in unlike_kafka(linked)


def test_damaged_lz4_blocks_end_within_their_room() -> None:
    chance = random.Random(7)
    whole = framed(MIXED[80_000:130_000])
    room = memoryview(bytearray(50_000))
    for _ in range(300):
        assert -1 <= blocks_into(mutate(whole, chance), room) <= 50_000


XERIAL = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
EMPTY_BLOCK = struct.pack(">i", 1) + b"\0"
EMPTY_MEMBER = bytes(cramjam.gzip.compress(b"", 1))


@pytest.mark.parametrize(
    ("codec", "head", "piece"),
    [(Codec.SNAPPY, XERIAL, EMPTY_BLOCK), (Codec.GZIP, b"", EMPTY_MEMBER)],
)
def test_empty_pieces_without_end_are_refused(codec: Codec, head: bytes, piece: bytes) -> None:
    """A megabyte of them took a second, and 40 MB."""
    target = memoryview(bytearray(100))
    for count in (4096, 5000):
        packed = head + piece * count
        may_be = count <= most_pieces(len(packed))
        assert decompress_into(codec, packed, target) == (0 if may_be else -1)
        if may_be:
            assert bytes(decompress(codec, packed, 100)) == b""
        else:
            with pytest.raises(UnpackedTooLarge, match="of more than"):
                decompress(codec, packed, 100)


def test_lz4_blocks_of_a_byte_are_left_to_the_library() -> None:
    """Which reads them a hundred times as fast."""
    blocks = 10_000
    frame = b"\x04\x22\x4d\x18\x60\x40\x82"
    frame += (struct.pack("<I", 1 << 31 | 1) + b"a") * blocks + bytes(4)
    assert room_for(frame) == 0
    assert blocks_into(frame, memoryview(bytearray(blocks))) == -1
    assert bytes(decompress(Codec.LZ4, frame, blocks)) == b"a" * blocks


@pytest.mark.parametrize("codec", [Codec.SNAPPY, Codec.LZ4])
def test_what_java_writes_is_never_of_too_many_pieces(codec: Codec) -> None:
    """Zeros make the smallest blocks."""
    size = 64 << 10
    block = len(compress(codec, bytes(2 * size))) - len(compress(codec, bytes(size)))
    blocks = 2 if codec is Codec.SNAPPY else 1
    assert most_pieces(1_000_000 * block) >= 1_000_000 * blocks
