"""Single batches through a compaction: which are copied, which are written again, which are removed."""

from array import array

import pytest

from barnabas.errors import CorruptRecord
from barnabas.kernels.compaction import key_hashes
from barnabas.records.batches.batch import crc_is_right, read_header
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records
from barnabas.records.compaction.compaction import Survivors
from barnabas.records.compaction.latest_offsets import LatestOffsets
from barnabas.records.compaction.transactions import TransactionFilter
from barnabas.records.compaction.whole_batches import whole_batches
from tests.record_batches import make_marker

pytestmark = pytest.mark.kernels

NOW, RETENTION = 50_000, 1_000
Pair = tuple[bytes | None, bytes | None]


def batch(*pairs: Pair, base: int = 0, codec: Codec = Codec.NONE, producer: int = -1) -> bytearray:
    """Records a millisecond apart, from 1000 on, of the leader epoch 3."""
    builder = BatchBuilder(codec, 1 << 20)
    for index, (key, value) in enumerate(pairs):
        builder.append(1000 + index, key, value, [("h", b"x")])
    data = builder.build(producer, 0, 7 if producer >= 0 else -1)
    data[0:8] = base.to_bytes(8, "big")
    data[12:16] = (3).to_bytes(4, "big")
    return data


def compacted(*batches: bytearray, kept_empty: tuple[int, ...] = (), now: int = NOW) -> bytes:
    data = b"".join(batches)
    latest = LatestOffsets(1 << 20, 0.9, bytes(range(16)))
    assert latest.learn(whole_batches(data), 0, TransactionFilter([]))
    survivors = Survivors(
        latest,
        TransactionFilter([]),
        array("q", kept_empty),
        {},
        now_ms=now,
        delete_retention_ms=RETENTION,
    )
    return b"".join(survivors.of(whole_batches(data)))


def records(data: bytes | bytearray) -> list[tuple[int, int, bytes | None, bytes | None]]:
    found, _ = decode_records(data, "t", 0)
    return [(each.offset, each.timestamp, each.key, each.value) for each in found]


def test_siphash_is_the_one_of_its_authors() -> None:
    """Rows 0, 1 and 15 of the 128 bit vectors of the reference implementation."""
    rows = {
        0: "a3817f04ba25a8e66df67214c7550293",
        1: "da87c1d86b99af44347659119b22fc45",
        15: "5493e99933b0a8117e08ec0f97cfc3d9",
    }
    key0, key1 = (int.from_bytes(bytes(range(at, at + 8)), "little") for at in (0, 8))
    for length, wanted in rows.items():
        halves = key_hashes.siphash(bytes(range(length)), key0, key1)
        assert b"".join(half.to_bytes(8, "little") for half in halves).hex() == wanted


@pytest.mark.parametrize("codec", list(Codec))
def test_a_batch_that_loses_nothing_is_the_same_to_the_byte(codec: Codec) -> None:
    whole = batch((b"a", b"1"), (b"b", b"2"), codec=codec)
    assert compacted(whole) == whole


@pytest.mark.parametrize("codec", list(Codec))
def test_a_batch_that_loses_records_keeps_its_place_producer_and_codec(codec: Codec) -> None:
    first = batch((b"a", b"1"), (b"b", b"2"), (None, b"3"), base=10, codec=codec, producer=9)
    second = batch((b"a", b"4"), base=20)
    data = compacted(first, second)
    assert records(data) == [(11, 1001, b"b", b"2"), (20, 1000, b"a", b"4")]
    header, before = read_header(data), read_header(first)
    assert crc_is_right(data, header)
    lost = {"size", "crc", "max_timestamp", "count"}
    assert {n for n in header._fields if getattr(header, n) != getattr(before, n)} <= lost
    assert (header.count, header.max_timestamp, header.codec) == (1, 1001, codec)
    assert (header.last_offset, header.last_sequence, header.leader_epoch) == (12, 9, 3)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_a_batch_that_loses_all_goes_or_is_a_header(codec: Codec) -> None:
    first = batch((b"a", b"1"), (b"a", b"2"), codec=codec, producer=9)
    second = batch((b"a", b"3"), base=2)
    assert compacted(first, second) == second
    data = compacted(first, second, kept_empty=(1, 5))
    header = read_header(data)
    assert (header.size, header.count, header.codec) == (61, 0, 0)
    assert (header.base_offset, header.last_offset, header.last_sequence) == (0, 1, 8)
    assert (header.base_timestamp, header.max_timestamp) == (-1, 1001)
    assert crc_is_right(data, header)
    assert data[61:] == second


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
def test_tombstones_get_a_horizon_keep_their_times_and_go_when_it_has_passed(codec: Codec) -> None:
    whole = batch((b"a", None), (b"b", b"2"), (b"c", None), codec=codec)
    data = compacted(whole)
    header = read_header(data)
    assert header.has_delete_horizon
    assert header.base_timestamp == NOW + RETENTION
    assert header.max_timestamp == 1002
    assert records(data) == records(whole)
    again = bytearray(data)
    assert compacted(again, now=NOW + RETENTION - 1) == data
    later = compacted(again, now=NOW + RETENTION)
    assert records(later) == [(1, 1001, b"b", b"2")]
    assert read_header(later).base_timestamp == NOW + RETENTION


def test_a_marker_without_records_stays_until_its_horizon() -> None:
    marker = make_marker(9, 0, commit=True)
    data = compacted(marker)
    header = read_header(data)
    assert header.control
    assert header.has_delete_horizon
    assert crc_is_right(data, header)
    again = bytearray(data)
    assert compacted(again, now=NOW + RETENTION - 1) == data
    assert compacted(again, now=NOW + RETENTION) == b""


def test_a_map_that_is_full_says_so_and_what_it_does_not_know_stays() -> None:
    data = bytes(batch(*((b"%d" % n, b"old") for n in range(5)), *((b"0", b"new"),)))
    latest = LatestOffsets(72, 0.9, bytes(16))
    assert not latest.learn(whole_batches(data), 0, TransactionFilter([]))
    assert (latest.keys.used, latest.keys.latest) == (2, 1)
    survivors = Survivors(
        latest, TransactionFilter([]), array("q"), {}, now_ms=NOW, delete_retention_ms=1
    )
    assert b"".join(survivors.of(whole_batches(data))) == data


@pytest.mark.parametrize("at", [16, 57, 70])
def test_damage_is_reported_and_not_passed_on(at: int) -> None:
    damaged = batch((b"a", b"1"), (b"b", b"2"))
    damaged[at] ^= 0x41
    with pytest.raises(CorruptRecord):
        compacted(damaged, bytearray(61))


def test_records_that_lie_about_their_lengths_are_reported() -> None:
    damaged = batch((b"a", b"1"), (b"b", b"2"))
    damaged[61] += 2
    latest = LatestOffsets(1 << 20, 0.9, bytes(16))
    with pytest.raises(CorruptRecord, match="batch at offset 0"):
        latest.learn(whole_batches(damaged, check_crcs=False), 0, TransactionFilter([]))
