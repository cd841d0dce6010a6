from collections.abc import Sequence

import pytest

from barnabas.client.core.producer.old_formats import as_messages, magic_of_produce
from barnabas.errors import BrokerError, ErrorCode
from barnabas.kernels.batches.objects import RecordAppender
from barnabas.records.batches.builder import build
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.columns import ColumnSelection, decode_columns


def packed(codec: Codec, headers: Sequence[tuple[str, bytes]] = ()) -> bytearray:
    """A batch of 20 records as the producer builds it."""
    appender = RecordAppender(10_000, None)
    for number in range(20):
        appender.append(number, None if number % 3 else b"key", b"value %d" % number, headers)
    appender.seal()
    return build(appender, codec, None)


def test_the_format_follows_the_version() -> None:
    assert [magic_of_produce(version) for version in (0, 1, 2, 3, 13)] == [0, 0, 1, 2, 2]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_records_and_codec_are_kept(magic: int, codec: Codec) -> None:
    batch = packed(codec)
    made = as_messages(batch, magic)
    assert made[16] == magic
    assert made[17] & 7 == codec
    before, after = (
        decode_columns([each], wanted=ColumnSelection.KEY | ColumnSelection.VALUE, start=0)
        for each in (batch, made)
    )
    assert (after.count, after.key, after.value) == (20, before.key, before.value)


def test_what_the_format_lacks_is_refused() -> None:
    for batch, why in (
        (packed(Codec.NONE, headers=[("a", b"b")]), "headers"),
        (packed(Codec.ZSTD), "zstd"),
    ):
        with pytest.raises(BrokerError, match=why) as refused:
            as_messages(batch, 0)
        assert refused.value.code is ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT
