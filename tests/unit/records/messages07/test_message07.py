"""Messages of Kafka 0.6 and 0.7: their bytes, what is in compressed ones, where a reader goes on."""

import tracemalloc
from zlib import crc32

import pytest

from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.codecs.compression import Codec, compress
from barnabas.records.messages07.check07 import check_set
from barnabas.records.messages07.message07 import (
    ENTRIES_MAX,
    FetchTooSmall,
    InvalidMessage,
    encode_message,
    encode_set,
    entries,
    read_messages,
)
from tests.wires import golden07
from tests.wires.golden07 import M0, M1

pytestmark = pytest.mark.kernels


def payloads(data: bytes, offset: int = 0) -> list[tuple[bytes, int]]:
    return [(bytes(one.payload), one.next_offset) for one in read_messages(data, offset)[0]]


def test_messages_are_the_golden_bytes() -> None:
    assert encode_message(b"hello") == M1
    assert encode_message(b"hello", magic=0) == M0
    assert encode_message(b"") == golden07.EMPTY_1
    assert encode_message(b"", magic=0) == golden07.EMPTY_0
    assert encode_set([b"hello"], codec=Codec.SNAPPY) == golden07.SNAPPED
    assert encode_message(b"x" * 100, magic=0)[:9].hex() == "00000069005e0e5d8f"


def test_the_crc_is_that_of_zlib_whatever_the_length() -> None:
    for size in (*range(300), 4096, 65_537):
        payload = bytes(index * 7 % 256 for index in range(size))
        message = encode_message(payload)
        assert payloads(message) == [(payload, len(message))]
        assert int.from_bytes(message[6:10], "big") == crc32(payload)


def test_both_magics_are_read_side_by_side() -> None:
    assert payloads(M1 + M0 + golden07.EMPTY_0, 100) == [
        (b"hello", 115),
        (b"hello", 129),
        (b"", 138),
    ]
    assert [one.magic for one in read_messages(M1 + M0)[0]] == [1, 0]


@pytest.mark.parametrize("wrapper", [golden07.GZIPPED, golden07.SNAPPED])
def test_compressed_messages_of_java_are_opened(wrapper: bytes) -> None:
    assert payloads(wrapper, 7) == [(b"hello", 7 + len(wrapper))]


def test_only_the_last_of_a_compressed_message_leads_behind_it() -> None:
    """Seed 000: offsets to fetch next are "on the boundaries of the compressed messages"."""
    wrapper = encode_set([b"a", b"b", b"c"], codec=Codec.GZIP)
    end = 15 + len(wrapper)
    assert payloads(M1 + wrapper) == [(b"hello", 15), (b"a", 15), (b"b", 15), (b"c", end)]


def test_compressed_in_compressed_is_opened() -> None:
    inner = M0 + encode_set([b"deep"], codec=Codec.SNAPPY) + M1
    outer = encode_message(compress(Codec.GZIP, inner), codec=Codec.GZIP)
    assert [payload for payload, _ in payloads(outer)] == [b"hello", b"deep", b"hello"]


def test_compression_without_end_is_refused() -> None:
    data = M1
    for _ in range(10):
        data = encode_message(compress(Codec.GZIP, data), codec=Codec.GZIP)
    with pytest.raises(InvalidMessage, match="in each other"):
        read_messages(data)


def test_what_decompresses_beyond_the_limit_is_refused() -> None:
    bomb = encode_set([bytes(1 << 20)], codec=Codec.GZIP)
    with pytest.raises(InvalidMessage):
        read_messages(bomb, limit=1 << 19)


def test_a_large_set_is_given_in_parts_and_what_holds_too_much_last() -> None:
    wrapper = encode_set([bytes(24 << 20)], codec=Codec.GZIP)
    found, after = read_messages(wrapper * 4 + M1, 1000)
    assert ([len(one.payload) for one in found], after) == ([24 << 20] * 3, 1000 + 3 * len(wrapper))
    found, after = read_messages((wrapper * 4 + M1)[after - 1000 :], after)
    assert [len(one.payload) for one in found] == [24 << 20, 5]
    assert after == 1000 + 4 * len(wrapper) + len(M1)
    small = encode_set([bytes(1000)], codec=Codec.GZIP)
    bomb = encode_set([bytes(3000)], codec=Codec.GZIP)
    data = small + M1 + small + bomb + M1
    found, after = read_messages(data, limit=2000)
    assert [len(one.payload) for one in found] == [1000, 5, 1000]
    assert after == 2 * len(small) + len(M1)
    with pytest.raises(InvalidMessage):
        read_messages(data[after:], after, limit=2000)


def test_what_comes_before_a_damaged_message_is_given_first() -> None:
    found, after = read_messages(M0 + M1 + M1[:-1] + b"!" + M1, 7)
    assert ([one.next_offset for one in found], after) == ([21, 36], 36)


def test_more_messages_in_one_than_anybody_sends_are_refused() -> None:
    packed = encode_set([b""] * (ENTRIES_MAX + 1), codec=Codec.GZIP)
    with pytest.raises(InvalidMessage, match="holds more than 262144 messages"):
        read_messages(packed)
    wrapper = encode_message(compress(Codec.GZIP, packed), codec=Codec.GZIP)
    tracemalloc.start()
    with pytest.raises(RefusedRecords, match="holds more than 262144 messages"):
        check_set(memoryview(wrapper), len(wrapper))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # An object for each message would be 60 MB.
    assert most < 20 << 20


@pytest.mark.parametrize("cut", range(1, 15))
def test_a_message_cut_off_at_the_end_is_left_for_the_next_fetch(cut: int) -> None:
    found, after = read_messages(M0 + M1[:cut], 1000)
    assert [one.next_offset for one in found] == [1014]
    assert after == 1014


def test_less_than_one_message_says_that_the_fetch_was_too_small() -> None:
    with pytest.raises(FetchTooSmall) as caught:
        read_messages(M1[:-1])
    assert caught.value.code == 4
    assert read_messages(b"", 5) == ([], 5)


@pytest.mark.parametrize(
    ("damaged", "why"),
    [
        (M1[:-1] + b"!", "CRC"),
        (M0[:-1] + b"!", "CRC"),
        (b"\xff\xff\xff\xff" + M1[4:], "shorter"),
        (b"\x00\x00\x00\x04" + M1[4:], "shorter"),
        (b"\x00\x00\x00\x05" + M1[4:], "shorter"),
        (M1[:4] + b"\x02" + M1[5:], "magic"),
        (M1[:5] + b"\x03" + M1[6:], "codec"),
        (encode_message(b"no gzip", codec=Codec.GZIP), "gzip"),
        (encode_message(b"", codec=Codec.SNAPPY), "no payload"),
    ],
)
def test_damage_is_named(damaged: bytes, why: str) -> None:
    with pytest.raises(InvalidMessage, match=why) as caught:
        read_messages(damaged + M1)
    assert caught.value.code == 2


def test_damage_inside_a_compressed_message_is_found() -> None:
    inner = M1[:-1] + b"!"
    packed = compress(Codec.GZIP, inner)
    with pytest.raises(InvalidMessage, match="CRC"):
        read_messages(encode_message(packed, codec=Codec.GZIP))


def test_upper_bits_of_attributes_mean_nothing() -> None:
    assert payloads(M1[:5] + b"\xfc" + M1[6:]) == [(b"hello", 15)]


def test_many_messages_are_found_in_order() -> None:
    """More than a table has rows at first."""
    texts = [str(number).encode() for number in range(1000)]
    data = encode_set(texts)
    found, after = read_messages(data)
    assert [bytes(one.payload) for one in found] == texts
    assert after == len(data)
    assert [one.end for one in entries(data)] == [one.next_offset for one in found]


def test_only_what_holds_more_messages_than_bytes_is_stored_flat() -> None:
    small = encode_set([b"one", b"two"], codec=Codec.GZIP)
    packed = encode_set([b""] * 900, codec=Codec.GZIP)
    wrapper = encode_message(compress(Codec.GZIP, packed + M1), codec=Codec.GZIP)
    data = M1 + small + wrapper + M0 + small
    flat = encode_set([b""] * 900) + M1
    kept = check_set(memoryview(data), len(data))
    assert bytes(kept) == M1 + small + flat + M0 + small
