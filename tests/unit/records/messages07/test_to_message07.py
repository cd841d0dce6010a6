"""What producers of today may write to a topic of Kafka 0.7's format."""

import pytest

from barnabas.errors import ErrorCode
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.codecs.compression import Codec
from barnabas.records.messages07 import to_message07
from barnabas.records.messages07.message07 import encode_set, entries
from barnabas.records.messages07.to_message07 import messages_of
from tests.message_sets import message, wrapper

pytestmark = pytest.mark.kernels

VALUES = [b"one", b"", b"three"]
SIZE = 1 << 20


def batch(
    *records: tuple[bytes | None, bytes | None],
    codec: Codec = Codec.NONE,
    headers: list[tuple[str, bytes | None]] | None = None,
    producer_id: int = -1,
) -> bytes:
    builder = BatchBuilder(codec, SIZE)
    for key, value in records:
        builder.append(1_700_000_000_000, key, value, headers or [])
    if producer_id < 0:
        return bytes(builder.build())
    return bytes(builder.build(producer_id, 0, 0))


PLAIN = [(None, value) for value in VALUES]


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY])
def test_payloads_are_kept_with_their_compression(codec: Codec) -> None:
    made = messages_of(batch(*PLAIN, codec=codec), SIZE, None)
    assert bytes(made) == encode_set(VALUES, codec=codec)
    assert [entry.codec for entry in entries(made)] == [codec] * (1 if codec else 3)


def test_the_topic_may_have_a_codec_of_its_own() -> None:
    for sent in (Codec.NONE, Codec.LZ4, Codec.GZIP):
        made = messages_of(batch(*PLAIN, codec=sent), SIZE, Codec.SNAPPY)
        assert bytes(made) == encode_set(VALUES, codec=Codec.SNAPPY)


def test_message_sets_of_08_become_messages_of_07() -> None:
    sent = b"".join(message(0, None, value) for value in VALUES)
    assert bytes(messages_of(sent, SIZE, None)) == encode_set(VALUES)
    packed = wrapper(2, [sent], Codec.GZIP)
    assert bytes(messages_of(packed, SIZE, None)) == encode_set(VALUES, codec=Codec.GZIP)


def test_nothing_is_nothing() -> None:
    assert bytes(messages_of(b"", SIZE, None)) == b""


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (batch((b"key", b"value")), ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT),
        (batch((None, b"value"), (b"", b"value")), ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT),
        (batch((None, None)), ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT),
        (batch((None, b""), headers=[("a", b"")]), ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT),
        (batch((None, b""), producer_id=7), ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT),
        (batch(*PLAIN, codec=Codec.LZ4), ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (batch(*PLAIN, codec=Codec.ZSTD), ErrorCode.UNSUPPORTED_COMPRESSION_TYPE),
        (batch((None, bytes(SIZE))), ErrorCode.MESSAGE_TOO_LARGE),
        (batch(*PLAIN)[:-1] + b"!", ErrorCode.CORRUPT_MESSAGE),
    ],
)
def test_what_it_cannot_hold_has_its_code(sent: bytes, code: ErrorCode) -> None:
    with pytest.raises(RefusedRecords) as caught:
        messages_of(sent, SIZE, None)
    assert caught.value.code == code


def test_more_at_once_than_a_message_may_hold_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Producers send a batch in two halves then."""
    monkeypatch.setattr(to_message07, "ENTRIES_MAX", 2)
    assert messages_of(batch(*PLAIN[:2]), SIZE, None)
    with pytest.raises(RefusedRecords, match="3 records at once") as caught:
        messages_of(batch(*PLAIN), SIZE, None)
    assert caught.value.code == ErrorCode.MESSAGE_TOO_LARGE
