"""Single records that a topic does not take: without a key, or with a time out of bounds."""

import pytest

from barnabas.errors import ErrorCode
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.codecs.compression import Codec
from barnabas.records.record_rules import RecordRules

pytestmark = pytest.mark.kernels

KEYED = RecordRules(keyed=True, earliest=0, latest=100)
TIMED = RecordRules(keyed=False, earliest=10, latest=20)


def batch(*records: tuple[bytes | None, int], codec: Codec = Codec.NONE) -> bytearray:
    builder = BatchBuilder(codec, 1 << 20)
    for key, time in records:
        builder.append(time, key, b"value", ())
    return builder.build()


def refusal(rules: RecordRules, data: bytearray) -> tuple[ErrorCode, list[int]]:
    with pytest.raises(RefusedRecords) as caught:
        rules.check(data)
    return caught.value.code, [index for index, _ in caught.value.records]


@pytest.mark.parametrize("codec", Codec)
def test_records_without_a_key_are_named(codec: Codec) -> None:
    data = batch((b"k", 1), (None, 1), (b"", 1), (None, 1), codec=codec)
    assert refusal(KEYED, data) == (ErrorCode.INVALID_RECORD, [1, 3])


def test_the_ninth_record_has_its_bit_in_another_byte() -> None:
    data = batch(*[(b"k", 1)] * 9, (None, 1))
    assert refusal(KEYED, data) == (ErrorCode.INVALID_RECORD, [9])


@pytest.mark.parametrize("codec", Codec)
def test_records_out_of_time_are_named(codec: Codec) -> None:
    data = batch((None, 10), (None, 9), (None, 20), (None, 21), codec=codec)
    assert refusal(TIMED, data) == (ErrorCode.INVALID_TIMESTAMP, [1, 3])


def test_what_keeps_the_rules_passes() -> None:
    KEYED.check(batch((b"", 0), (b"k", 100)))
    TIMED.check(batch((None, 10), (None, 20), (None, -1)))


def test_one_record_is_refused_for_one_reason_and_time_names_the_batch() -> None:
    rules = RecordRules(keyed=True, earliest=10, latest=20)
    data = batch((b"k", 15), (None, 15), (b"k", 5), (None, 5))
    assert refusal(rules, data) == (ErrorCode.INVALID_TIMESTAMP, [1, 2, 3])
    assert refusal(rules, batch((None, 5))) == (ErrorCode.INVALID_RECORD, [0])


def test_what_cannot_be_decompressed_is_invalid() -> None:
    data = batch((b"k", 1), codec=Codec.GZIP)
    data[61:] = b"nothing of the kind"
    data[8:12] = (len(data) - 12).to_bytes(4)
    assert refusal(KEYED, data) == (ErrorCode.INVALID_RECORD, [])


def test_no_more_than_a_thousand_are_named() -> None:
    _, records = refusal(KEYED, batch(*[(None, 1)] * 1500))
    assert records == list(range(1000))
