"""What a conversion drops, keeps and refuses; the property tests see that records are right."""

import pytest

from barnabas.errors import CorruptRecord, ErrorCode
from barnabas.records.batches.batch import walk
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.codecs.compression import Codec, UnpackedTooLarge
from barnabas.records.columns.reading import decode_records
from barnabas.records.old_messages.convert import LOSSES, convert
from tests.message_sets import message, wrapper
from tests.record_batches import make_batch, make_marker, seal

pytestmark = pytest.mark.kernels


def offsets(data: bytes | bytearray) -> list[int]:
    return [record.offset for record in decode_records(data, "t", 0)[0]]


def test_every_pair_of_formats_has_its_losses() -> None:
    assert set(LOSSES) == {(a, b) for a in range(3) for b in range(3) if a != b}
    assert all(not lost for (a, b), lost in LOSSES.items() if a < b)


def test_markers_go_and_what_was_aborted_stays() -> None:
    """An old reader reads what is uncommitted; markers are nothing to it."""
    marker = make_marker(9, 0, commit=False)
    marker[:8] = (2).to_bytes(8, "big")
    data = bytes(make_batch(2, producer=(9, 0, 0), attributes=0x10)) + bytes(marker)
    made, next_offset, *_ = convert(data, 1)
    assert (offsets(made), next_offset) == ([0, 1], 3)
    assert convert(marker, 0) == (bytearray(), 3, 0, 0)
    assert convert(data, 2).data == data


def test_a_reader_gets_what_it_knows_as_it_is() -> None:
    old = wrapper(5, [message(5, None, b"v" * 50)], Codec.LZ4) + message(6, b"k", None)
    assert convert(old, 1).data == old
    assert convert(old, 2).data == old
    assert {header.magic for header in walk(convert(old, 1, upwards=True).data)} == {1}


def test_a_batch_keeps_its_compression() -> None:
    for codec in (Codec.GZIP, Codec.SNAPPY, Codec.LZ4):
        builder = BatchBuilder(codec, 1 << 20)
        builder.append(5, b"k", b"v" * 500)
        (header,) = walk(convert(builder.build(), 1).data)
        assert (header.codec, header.magic, header.max_timestamp) == (codec, 1, 5)


def test_zstd_stays_in_today_s_format() -> None:
    builder = BatchBuilder(Codec.ZSTD, 1 << 20)
    builder.append(5, b"k", b"v")
    batch = builder.build()
    with pytest.raises(RefusedRecords) as refused:
        convert(batch, 1)
    assert refused.value.code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert convert(batch, 2).data == batch


def test_what_was_read_before_is_left_out() -> None:
    data = bytes(make_batch(5)) + bytes(make_batch(2, base_offset=5))
    assert offsets(convert(data, 0, start=3).data) == [3, 4, 5, 6]
    assert convert(data, 0, start=9) == (bytearray(), 9, 0, 0)


def test_a_batch_that_compaction_emptied_moves_the_reader_on() -> None:
    empty = bytearray(make_batch(1, base_offset=4)[:61])
    empty[8:12] = (49).to_bytes(4, "big")
    empty[57:61] = bytes(4)
    seal(empty)
    assert convert(empty, 1) == (bytearray(), 5, 0, 0)


def test_a_bomb_is_not_unpacked() -> None:
    data = wrapper(3, [message(3, None, bytes(100_000))], Codec.GZIP)
    with pytest.raises(UnpackedTooLarge, match="more than 1000"):
        convert(data, 2, upwards=True, limit=1000)


def test_after_much_that_was_unpacked_comes_no_more() -> None:
    large = wrapper(3, [message(3, None, bytes(31 << 20))], Codec.GZIP)
    data = b"".join(make_batch(1, base_offset=at) for at in (1, 2)) + large * 2 + large
    made = convert(data, 2, upwards=True)
    assert [header.base_offset for header in walk(made.data)] == [1, 2, 3, 3]
    assert (made.next_offset, made.unpacked) == (4, 2 * len(message(3, None, bytes(31 << 20))))


def test_a_codec_that_nobody_knows() -> None:
    data = message(3, None, b"v", attributes=7)
    assert convert(data, 1).data == data
    with pytest.raises(CorruptRecord, match="unknown codec 7"):
        convert(data, 2, upwards=True)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
@pytest.mark.parametrize("magic", [0, 1])
def test_a_batch_of_many_records_is_converted_in_pieces(
    magic: int, codec: Codec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4,000,000 tiny records took 300 MB: their columns, and as many messages."""
    monkeypatch.setattr("barnabas.records.old_messages.convert.RECORDS_MAX", 10)
    builder = BatchBuilder(codec, 1 << 20)
    for at in range(35):
        builder.append(at, None, b"%d" % at)
    data = bytes(builder.build()) + bytes(make_batch(2, base_offset=35))
    found, pieces, start = [], [], 0
    while start < 37:
        made = convert(data, magic, start=start)
        pieces.append(made.count)
        found += offsets(made.data)
        assert made.next_offset > start
        start = made.next_offset
    assert found == [*range(37)]
    assert pieces == [10, 10, 10, 7]


def test_small_batches_end_a_piece_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("barnabas.records.old_messages.convert.RECORDS_MAX", 10)
    data = b"".join(make_batch(4, base_offset=4 * at) for at in range(9))
    made = convert(data, 1)
    assert (offsets(made.data), made.next_offset) == ([*range(10)], 10)


def test_a_gap_that_compaction_left_is_longer_than_a_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("barnabas.records.old_messages.convert.RECORDS_MAX", 4)
    batch = bytearray(make_batch(1))
    batch[23:27] = (60).to_bytes(4, "big")
    batch[64] = 2 * 50  # the record's place in the batch
    seal(batch)
    made = convert(batch, 1)
    assert offsets(made.data) == [50]
    assert 50 < made.next_offset <= 61
