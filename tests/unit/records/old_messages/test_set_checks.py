"""What a broker takes from old producers, and what it makes of it."""

import pytest

from barnabas.errors import ErrorCode
from barnabas.records.batches.batch import walk
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.checks import check_produced
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.codecs.compression import Codec, UnpackedTooLarge
from barnabas.records.columns.reading import decode_records
from barnabas.records.old_messages.set_builder import MessageSetBuilder
from barnabas.records.old_messages.set_checks import SetRules, accept_set
from tests.message_sets import LOG_APPEND_TIME, message, wrapper

pytestmark = pytest.mark.kernels

TODAY = SetRules(2, 1 << 20)

Row = tuple[int, int, bytes | None, bytes | None]


def rows(data: bytes | bytearray) -> list[Row]:
    return [(r.offset, r.timestamp, r.key, r.value) for r in decode_records(data, "t", 0)[0]]


def refusal(data: bytes, rules: SetRules = TODAY) -> ErrorCode:
    with pytest.raises(RefusedRecords) as refused:
        accept_set(data, rules)
    return refused.value.code


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_a_set_becomes_a_batch_that_a_log_takes(magic: int, codec: Codec) -> None:
    builder = MessageSetBuilder(magic, codec, 1 << 20)
    for at in range(3):
        assert builder.append(70 + at, b"k%d" % at, None if at == 1 else b"v" * 90)
    taken = accept_set(builder.build(), TODAY)
    assert (taken.count, taken.max_timestamp) == (3, 72 if magic else -1)
    header = check_produced(memoryview(taken.data), 1 << 20)
    assert (header.codec, header.count, header.producer_id) == (codec, 3, -1)
    assert [row[1:] for row in rows(taken.data)] == [
        (70 + at if magic else -1, b"k%d" % at, None if at == 1 else b"v" * 90) for at in range(3)
    ]


def test_producers_put_any_offsets_into_messages() -> None:
    data = message(99, None, b"a") + message(-5, None, b"b") + message(99, None, b"c")
    taken = accept_set(data, TODAY)
    assert [(row[0], row[3]) for row in rows(taken.data)] == [(0, b"a"), (1, b"b"), (2, b"c")]


def test_a_compressed_message_without_any_offsets_is_taken() -> None:
    """pykafka writes -1 everywhere, outside as inside."""
    inner = [message(-1, None, b"v%d" % n, timestamp=n) for n in range(3)]
    taken = accept_set(wrapper(-1, inner, Codec.GZIP, timestamp=2), TODAY)
    assert rows(taken.data) == [(n, n, None, b"v%d" % n) for n in range(3)]


@pytest.mark.parametrize("inside", [(0, 0, 0), (0, 2, 1), (7, 8, 9)])
def test_a_compressed_message_that_lies_about_its_offsets_is_numbered_anew(
    inside: tuple[int, ...],
) -> None:
    """As Kafka does with all that does not count from 0 in steps of 1."""
    inner = [message(at, None, b"v%d" % n, timestamp=n) for n, at in enumerate(inside)]
    data = wrapper(9, inner, Codec.GZIP, timestamp=2)
    expected = [(100 + n, n, None, b"v%d" % n) for n in range(3)]
    old = accept_set(data, SetRules(1, 1 << 20), first_offset=100)
    assert rows(old.data) == expected
    (header,) = walk(old.data)
    assert (header.base_offset, header.magic, header.codec) == (102, 1, Codec.GZIP)
    assert rows(accept_set(data, TODAY).data) == [(row[0] - 100, *row[1:]) for row in expected]


def test_one_that_cannot_be_read_so_is_refused() -> None:
    inner = [message(7, None, b"v", timestamp=1)]
    assert refusal(wrapper(3, inner, Codec.GZIP, timestamp=1)) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_several_compressed_messages_become_one_with_the_last_codec(magic: int) -> None:
    """As Kafka up to 2.3 does; later it refuses them."""
    times = (None, None, None, None) if magic == 0 else (5, 6, 7, 8)
    each = [message(0, b"k", b"v%d" % n, timestamp=times[n]) for n in range(4)]
    data = (
        wrapper(0, each[:1], Codec.GZIP, timestamp=times[0])
        + each[1]
        + wrapper(9, each[2:], Codec.SNAPPY, timestamp=times[3])
    )
    taken = accept_set(data, SetRules(magic, 1 << 20), first_offset=0)
    assert [row[0] for row in rows(taken.data)] == [0, 1, 2, 3]
    assert [row[3] for row in rows(taken.data)] == [b"v0", b"v1", b"v2", b"v3"]
    assert [header.codec for header in walk(taken.data)] == [Codec.SNAPPY]


def test_magic_0_gets_its_offsets_inside() -> None:
    inner = [message(at, None, b"v") for at in (0, 1)]
    taken = accept_set(wrapper(1, inner, Codec.LZ4), SetRules(0, 1 << 20), first_offset=50)
    assert [row[0] for row in rows(taken.data)] == [50, 51]


def test_the_time_of_the_broker() -> None:
    data = message(0, None, b"v", timestamp=5)
    taken = accept_set(data, SetRules(1, 1 << 20), append_time_ms=77)
    (record,), _ = decode_records(taken.data, "t", 0)
    assert (record.timestamp, record.timestamp_type, taken.max_timestamp) == (77, 1, 77)


def test_the_topic_s_codec() -> None:
    taken = accept_set(message(0, None, b"v" * 99), SetRules(2, 1 << 20, Codec.ZSTD))
    assert next(walk(taken.data)).codec == Codec.ZSTD


def test_nothing_whole_is_nothing() -> None:
    assert accept_set(b"", TODAY) == (bytearray(), 0, -1)
    assert accept_set(message(0, None, b"v")[:-1], TODAY).count == 0
    assert accept_set(message(0, None, b"v") + message(1, None, b"w")[:-1], TODAY).count == 1


def test_what_is_refused() -> None:
    good = message(0, None, b"good")
    packed = wrapper(0, [good], Codec.GZIP)
    spoiled = good[:-1] + b"?"
    assert refusal(good + spoiled) == ErrorCode.CORRUPT_MESSAGE
    assert refusal(wrapper(0, [spoiled], Codec.GZIP)) == ErrorCode.CORRUPT_MESSAGE
    assert refusal(good[:16] + b"\x05" + good[17:]) == ErrorCode.CORRUPT_MESSAGE
    assert refusal(good, SetRules(2, len(good) - 1)) == ErrorCode.MESSAGE_TOO_LARGE
    lone = SetRules(2, 1 << 20, alone=True)
    assert refusal(packed + good, lone) == ErrorCode.INVALID_RECORD
    assert refusal(good + packed, lone) == ErrorCode.INVALID_RECORD
    assert refusal(wrapper(0, [packed], Codec.GZIP)) == ErrorCode.INVALID_RECORD
    assert refusal(message(0, None, b"junk", attributes=1)) == ErrorCode.INVALID_RECORD
    assert refusal(message(0, None, b"v", attributes=4)) == ErrorCode.INVALID_RECORD
    assert refusal(message(0, None, b"v", attributes=5)) == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    late = message(0, None, b"v", timestamp=1, attributes=LOG_APPEND_TIME)
    assert refusal(late) == ErrorCode.INVALID_TIMESTAMP
    bomb = wrapper(0, [message(0, None, bytes(33 << 20))], Codec.GZIP)
    assert refusal(bomb) == ErrorCode.MESSAGE_TOO_LARGE
    bombs = wrapper(0, [message(0, None, bytes(17 << 20))], Codec.GZIP) * 2
    assert refusal(bombs) == ErrorCode.MESSAGE_TOO_LARGE


def test_what_an_old_topic_cannot_hold() -> None:
    def batch(codec: Codec, producer: int, *headers: tuple[str, bytes]) -> bytes:
        builder = BatchBuilder(codec, 1 << 20)
        builder.append(1, b"k", b"v", headers)
        return bytes(builder.build(producer, 0, 0) if producer >= 0 else builder.build())

    old = SetRules(1, 1 << 20)
    assert rows(accept_set(batch(Codec.GZIP, -1), old).data) == [(0, 1, b"k", b"v")]
    assert refusal(batch(Codec.NONE, 3), old) == ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT
    headers = batch(Codec.NONE, -1, ("h", b""))
    assert refusal(headers, old) == ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT
    assert refusal(batch(Codec.ZSTD, -1), old) == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    modern = batch(Codec.NONE, -1)
    assert refusal(modern + modern) == ErrorCode.INVALID_RECORD


def test_a_builder_stops_at_its_limit() -> None:
    builder = MessageSetBuilder(1, Codec.NONE, 60)
    assert builder.append(1, None, b"v" * 50) == 84, "the first record always fits"
    assert builder.append(1, None, b"") == 0
    assert (builder.count, builder.size) == (1, 84)
    assert builder.build() == message(0, None, b"v" * 50, timestamp=1)


OF_0_8 = SetRules(0, 1 << 20, nested=True)


def nested(levels: int, messages: list[bytes], codec: Codec = Codec.GZIP) -> list[bytes]:
    for _ in range(levels):
        messages = [wrapper(0, messages, codec)]
    return messages


@pytest.mark.parametrize("levels", [1, 2, 3, 50, 500])
@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY])
def test_what_is_in_messages_inside_others_is_taken_as_if_in_one(levels: int, codec: Codec) -> None:
    """As brokers of 0.8.0, 0.8.1 and 0.8.2 were seen to store it."""
    sent = [message(number, b"k", b"v%d" % number) for number in range(4)]
    inside = [sent[0], *nested(levels, sent[1:3]), sent[3]]
    taken = accept_set(wrapper(9, inside, codec), OF_0_8, first_offset=7)
    expected = accept_set(wrapper(3, sent, codec), OF_0_8, first_offset=7)
    assert taken == expected
    assert [row[0] for row in rows(taken.data)] == [7, 8, 9, 10]


def test_messages_inside_others_are_of_the_outermost_ones_codec() -> None:
    inner = nested(1, [message(0, None, b"v")], Codec.GZIP)
    taken = accept_set(wrapper(0, inner, Codec.SNAPPY), OF_0_8)
    assert [header.codec for header in walk(taken.data)] == [Codec.SNAPPY]


@pytest.mark.parametrize(
    ("data", "rules"),
    [
        (nested(2, [message(0, None, b"v")])[0], SetRules(0, 1 << 20)),
        (nested(2, [message(0, None, b"v")])[0], TODAY),
        (
            wrapper(
                0, [wrapper(0, [message(0, None, b"v", timestamp=1)], Codec.GZIP, timestamp=1)],
                Codec.GZIP, timestamp=1,
            ),
            OF_0_8,
        ),
        (wrapper(0, [message(0, None, b"no gzip", attributes=1)], Codec.GZIP), OF_0_8),
        (wrapper(0, nested(2, [b"no message"]), Codec.GZIP), OF_0_8),
    ],
)  # fmt: skip
def test_others_inside_are_refused(data: bytes, rules: SetRules) -> None:
    assert refusal(data, rules) in {ErrorCode.INVALID_RECORD, ErrorCode.CORRUPT_MESSAGE}


def test_no_more_is_unpacked_of_many_levels_than_of_one() -> None:
    """Each level counts: what they come to together has the bound that one has."""
    data = nested(3000, [message(0, None, b"v")])[0]
    assert refusal(data, OF_0_8) == UnpackedTooLarge.code


_CHECKS = "barnabas.records.old_messages.set_checks"


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_a_set_has_a_bounded_number_of_messages(
    magic: int, codec: Codec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4,600,000 of 26 bytes took 380 MB."""
    monkeypatch.setattr(f"{_CHECKS}._RECORDS_MAX", 10)
    for count in (10, 11):
        builder = MessageSetBuilder(magic, codec, 1 << 20)
        for at in range(count):
            builder.append(at, None, b"v")
        data = bytes(builder.build())
        if count > 10:
            assert refusal(data) == ErrorCode.MESSAGE_TOO_LARGE
        else:
            assert accept_set(data, TODAY).count == count


def test_magics_that_alternate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change is a row of 104 bytes, where 26 bytes were sent."""
    pair = message(0, None, b"v", timestamp=None) + message(1, None, b"v", timestamp=5)
    monkeypatch.setattr(f"{_CHECKS}._ENTRIES_MAX", 6)
    assert accept_set(pair * 3, TODAY).count == 6
    assert refusal(pair * 4) == ErrorCode.MESSAGE_TOO_LARGE
    monkeypatch.setattr("barnabas.records.message_rows._MOST_INSIDE", 6)
    packed = wrapper(7, [pair * 4], Codec.GZIP)
    assert refusal(packed) == ErrorCode.INVALID_RECORD


def test_a_set_has_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is held three times: as it came, in columns, and in its batch."""
    one = message(0, None, bytes(100))
    monkeypatch.setattr(f"{_CHECKS}._BYTES_MAX", 3 * len(one))
    for codec in (None, Codec.GZIP):
        for count in (3, 4):
            inner = [message(at, None, bytes(100)) for at in range(count)]
            data = b"".join(inner) if codec is None else wrapper(count - 1, inner, codec)
            if count > 3:
                assert refusal(data) == ErrorCode.MESSAGE_TOO_LARGE
            else:
                assert accept_set(data, TODAY).count == count
