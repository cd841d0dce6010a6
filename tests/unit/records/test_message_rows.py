"""Message sets of magic 0 and 1 read like batches, whatever wrote them."""

import pytest

from barnabas.errors import CorruptRecord, DecodeError
from barnabas.records.batches.batch import crc_is_right, read_entry, walk
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.arrow import to_arrow
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.reading import decode_records
from barnabas.records.message_rows import check_message_crcs, message_tables
from barnabas.types import Buffer
from tests.message_sets import LOG_APPEND_TIME, message, wrapper
from tests.record_batches import make_batch

pytestmark = pytest.mark.kernels

OLD_CODECS = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4]

Row = tuple[int, int, int, bytes | None, bytes | None]


def read(data: Buffer, start: int = 0) -> list[Row]:
    """Offset, timestamp, its type, key and value; both ways of reading give the same."""
    records, next_offset = decode_records(data, "t", 0, start=start)
    rows = [(r.offset, r.timestamp, r.timestamp_type, r.key, r.value) for r in records]
    columns = decode_columns([data], wanted=ColumnSelection.ALL, start=start)
    assert columns.next_offset == next_offset
    arrow = to_arrow(columns)
    names = ("offset", "timestampType", "key", "value")
    found = [arrow[name].to_pylist() for name in names]
    assert columns.timestamps is not None
    found.insert(1, columns.timestamps.tolist())
    assert list(zip(*found, strict=True)) == rows
    assert arrow["headers"].to_pylist() == [[]] * len(rows)
    assert decode_columns([data], wanted=ColumnSelection(0), start=start).count == len(rows)
    return rows


def test_a_message_of_magic_0_byte_by_byte() -> None:
    """Offset 5, size 17, CRC, magic 0, attributes 0, key of 1 byte, value of 2 bytes."""
    data = bytes.fromhex(
        "0000000000000005 00000011 61505427 00 00 00000001 6b 00000002 7631".replace(" ", "")
    )
    assert data == message(5, b"k", b"v1")
    assert read(data) == [(5, -1, -1, b"k", b"v1")]


def test_a_message_of_magic_1_byte_by_byte() -> None:
    """Offset 6, size 23, CRC, magic 1, attributes 0, time 1000, null key, value of 1 byte."""
    body = "01 00 00000000000003e8 ffffffff 00000001 76"
    made = message(6, None, b"v", timestamp=1000)
    assert made[16:].hex() == body.replace(" ", "")
    assert read(made) == [(6, 1000, 0, None, b"v")]


def test_null_and_empty_are_kept_apart() -> None:
    rows = [(None, None), (b"", b""), (None, b""), (b"", None), (b"k", b"v")]
    data = b"".join(message(at, *row) for at, row in enumerate(rows))
    assert [row[3:] for row in read(data)] == rows


def test_the_broker_s_time_is_each_message_s_own() -> None:
    data = message(0, None, b"a", timestamp=5, attributes=LOG_APPEND_TIME)
    data += message(1, None, b"b", timestamp=7, attributes=LOG_APPEND_TIME)
    data += message(2, None, b"c", timestamp=9)
    assert [row[:3] for row in read(data)] == [(0, 5, 1), (1, 7, 1), (2, 9, 0)]


@pytest.mark.parametrize("codec", OLD_CODECS)
def test_offsets_in_magic_0_are_absolute(codec: Codec) -> None:
    data = wrapper(12, [message(at, None, b"%d" % at) for at in (10, 12)], codec)
    assert read(data) == [(10, -1, -1, None, b"10"), (12, -1, -1, None, b"12")]
    assert read(data, start=11) == [(12, -1, -1, None, b"12")]
    assert read(data, start=13) == []


@pytest.mark.parametrize("codec", OLD_CODECS)
@pytest.mark.parametrize("last", [2, 102])
def test_offsets_in_magic_1_are_relative(codec: Codec, last: int) -> None:
    inner = [message(at, b"k", None, timestamp=40 + at) for at in (0, 2)]
    data = wrapper(last, inner, codec, timestamp=42)
    assert read(data) == [(last - 2, 40, 0, b"k", None), (last, 42, 0, b"k", None)]


def test_an_outer_offset_of_0_makes_them_count_from_0() -> None:
    """Of certain versions of librdkafka."""
    inner = [message(at, None, b"v", timestamp=1) for at in range(3)]
    rows = read(wrapper(0, inner, Codec.GZIP, timestamp=1))
    assert [row[0] for row in rows] == [0, 1, 2]


def test_the_outer_time_wins_if_it_is_the_broker_s() -> None:
    inner = [message(at, None, b"v", timestamp=40 + at) for at in range(2)]
    data = wrapper(7, inner, Codec.SNAPPY, timestamp=99, attributes=LOG_APPEND_TIME)
    assert [row[:3] for row in read(data)] == [(6, 99, 1), (7, 99, 1)]


def test_the_outer_type_of_time_holds_inside() -> None:
    inner = [message(0, None, b"v", timestamp=40, attributes=LOG_APPEND_TIME)]
    assert read(wrapper(7, inner, Codec.GZIP, timestamp=99))[0][:3] == (7, 40, 0)


def test_snappy_without_java_s_framing() -> None:
    import cramjam

    packed = bytes(cramjam.snappy.compress_raw(message(3, None, b"v" * 99)))
    assert read(message(3, None, packed, attributes=Codec.SNAPPY))[0][0] == 3


@pytest.mark.parametrize("wrong", [False, True])
def test_lz4_with_either_checksum_in_its_header(*, wrong: bool) -> None:
    data = bytearray(wrapper(3, [message(3, None, b"v" * 99)], Codec.LZ4))
    at = data.index(b"\x04\x22\x4d\x18") + 6
    right = bytearray(wrapper(3, [message(3, None, b"v" * 99)], Codec.LZ4, timestamp=1))
    right_at = right.index(b"\x04\x22\x4d\x18") + 6
    assert data[at] != right[right_at], "magic 0 has the old checksum"
    if not wrong:
        data = bytearray(message(3, None, bytes(right[right_at - 6 :]), attributes=Codec.LZ4))
    assert read(bytes(data))[0][4] == b"v" * 99


def test_all_formats_one_behind_the_other() -> None:
    inner = [message(at, None, b"i", timestamp=3) for at in (0, 1)]
    modern = make_batch(2, base_offset=4)
    parts = [
        message(0, None, b"0"),
        message(1, None, b"1", timestamp=3),
        wrapper(3, inner, Codec.GZIP, timestamp=3),
        bytes(modern),
        message(6, None, b"6"),
        bytes(make_batch(1, base_offset=7)),
        message(8, None, b"cut off")[:-1],
    ]
    rows = read(b"".join(parts))
    assert [row[0] for row in rows] == list(range(8))
    assert [row[2] for row in rows] == [-1, 0, 0, 0, 0, 0, -1, 0]
    headers = list(walk(b"".join(parts)))
    assert [header.magic for header in headers] == [0, 1, 1, 2, 0, 2]
    assert [header.last_offset for header in headers] == [0, 1, 3, 5, 6, 7]
    assert [header.count for header in headers] == [1, 1, -1, 2, 1, 1]
    assert [header.end for header in headers[:-1]] == [h.position for h in headers[1:]]
    assert all(crc_is_right(b"".join(parts), header) for header in headers)


def test_what_is_cut_off_inside_is_left_out() -> None:
    data = wrapper(3, [message(2, None, b"a"), message(3, None, b"b")[:-1]], Codec.GZIP)
    assert [row[0] for row in read(data)] == [2]


def test_a_limit_on_the_number_of_records() -> None:
    data = b"".join(message(at, None, b"v", timestamp=at % 3) for at in range(10))
    records, after = decode_records(data, "t", 0, start=2, limit=3)
    assert ([record.offset for record in records], after) == ([2, 3, 4], 5)
    count = decode_columns([data], wanted=ColumnSelection.OFFSET, start=2, end=5)
    assert count.offsets is not None
    assert count.offsets.tolist() == [2, 3, 4]


def test_more_rows_than_one_table_has() -> None:
    data = b"".join(
        message(at, None, b"v", timestamp=at, attributes=at % 2 * 8) for at in range(99)
    )
    tables = list(message_tables(data, 0, len(data)))
    assert [len(found.rows) for found in tables] == [16, 64, 19]
    assert tables[-1].end == len(data)
    assert [row[:3] for row in read(data)] == [(at, at, at % 2) for at in range(99)]


def numbered(offset: int, *inside: int) -> bytes:
    """A compressed message of magic 1 whose messages have these offsets."""
    messages = [message(one, None, b"", timestamp=0) for one in inside]
    return wrapper(offset, messages, Codec.GZIP, timestamp=0)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (message(3, None, b"v")[:12] + bytes(4) + message(3, None, b"v")[16:], "CRC is wrong"),
        (message(3, None, b"v" * 2000)[:-1] + b"w", "CRC is wrong"),
        (message(0, None, b"v", attributes=4), "codec 4"),
        (message(3, None, None, attributes=1), "value"),
        (message(3, None, b"junk", attributes=1), "gzip"),
        (message(3, None, b"\xff" * 9, attributes=2), "snappy"),
        (message(3, None, b"", attributes=2), "snappy"),
        (wrapper(3, [], Codec.GZIP), "no message"),
        (wrapper(3, [wrapper(3, [message(3, None, b"")], Codec.GZIP)], Codec.GZIP), "inside"),
        (wrapper(1, [message(4, None, b"", timestamp=0)], Codec.GZIP, timestamp=0), "offset 4"),
        (wrapper(1, [message(-(2**63), None, b"", timestamp=0)], Codec.GZIP, timestamp=0), "offset -92"),
        (
            wrapper(9, [message(2**63 - 1, None, b"", timestamp=0), message(2, None, b"", timestamp=0)],
                    Codec.GZIP, timestamp=0),
            "offset 92",
        ),
        (
            wrapper(9, [message(-3, None, b"", timestamp=0), message(2, None, b"", timestamp=0)],
                    Codec.GZIP, timestamp=0),
            "offset -3, not 0 to 2",
        ),
        (bytes(8) + b"\x00\x00\x00\x0d" + bytes(40), "shorter"),
        (bytes(8) + b"\xff\xff\xff\xff" + bytes(40), "shorter"),
        (bytes(16) + b"\x03" + bytes(40), "magic"),
    ],
)  # fmt: skip
def test_what_is_not_right_is_reported(data: bytes, words: str) -> None:
    good = message(0, None, b"good")
    for whole in (data, good + data):
        with pytest.raises(CorruptRecord, match=words):
            decode_columns([whole], wanted=ColumnSelection.ALL, start=0)
        with pytest.raises(CorruptRecord, match=words):
            decode_records(whole, "t", 0)


@pytest.mark.parametrize("at", [18, 22])
def test_lengths_beyond_the_message(at: int) -> None:
    data = bytearray(message(0, b"", b"v"))
    data[at : at + 4] = b"\x7f\xff\xff\xff"
    for wanted in (ColumnSelection.ALL, ColumnSelection.OFFSET):
        with pytest.raises(CorruptRecord, match="runs past"):
            decode_columns([data], wanted=wanted, start=0, check_crcs=False)


def test_bytes_behind_the_value() -> None:
    data = bytearray(message(0, b"", b"vw"))
    data[22:26] = b"\x00\x00\x00\x01"
    with pytest.raises(CorruptRecord, match="longer than its parts"):
        decode_columns([data], wanted=ColumnSelection.VALUE, start=0, check_crcs=False)


def test_a_bomb_is_not_unpacked() -> None:
    from barnabas.records.columns import regions

    data = wrapper(3, [message(3, None, bytes(100_000))], Codec.GZIP)
    few = regions.Regions(0, 10, 10_000)
    with pytest.raises(CorruptRecord, match="more than 10000"):
        few.add(data, check_crcs=True, aborted=(), count=False)


def test_headers_of_messages() -> None:
    data = message(9, b"k", b"v", timestamp=77, attributes=LOG_APPEND_TIME)
    header = read_entry(data)
    assert header.size == len(data)
    assert (header.base_offset, header.next_offset, header.magic) == (9, 10, 1)
    assert (header.max_timestamp, header.log_append_time, header.codec) == (77, True, 0)
    assert (header.producer_id, header.leader_epoch, header.control) == (-1, -1, False)
    assert crc_is_right(data, header)
    assert not crc_is_right(data[:-1] + b"x", header)
    with pytest.raises(DecodeError, match="header"):
        read_entry(data[:20])
    with pytest.raises(DecodeError, match="at least 22"):
        read_entry(data[:8] + b"\x00\x00\x00\x05" + data[12:])


def test_large_messages_are_compared_too() -> None:
    data = message(0, None, b"v" * 5000) + message(1, None, b"v") + message(2, None, b"w" * 3000)
    check_message_crcs(data, 0, len(data))
    for at in (100, 5040, 8000):
        spoiled = data[:at] + b"\x00" + data[at + 1 :]
        with pytest.raises(CorruptRecord, match="CRC"):
            check_message_crcs(spoiled, 0, len(data))
