"""Convert records of producers since 0.8 to Kafka 0.7 messages, which only have a payload."""

from barnabas.errors import ErrorCode
from barnabas.records.batches.batch import read_entry
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.columns import BytesColumn, ColumnSelection, decode_columns
from barnabas.records.messages07.message07 import ENTRIES_MAX, encode_set
from barnabas.records.old_messages.set_checks import SetRules, accept_set
from barnabas.types import Buffer

_ANY = -(2**63)
_HIGHEST = Codec.SNAPPY


def messages_of(
    buffer: Buffer, max_bytes: int, codec: Codec | None, unpacking: Unpacking | None = None
) -> memoryview:
    """The messages to append for one partition's data; timestamps are omitted.

    `codec` is the topic's; None keeps the producer's. `unpacking`: what the request may still
    decompress.

    Raises:
        RefusedRecords: it is damaged or too large, or contains more than a message of 0.7 can:
            UNSUPPORTED_FOR_MESSAGE_FORMAT.
    """
    accepted = accept_set(buffer, SetRules(1, max_bytes, Codec.NONE), unpacking=unpacking)
    if not accepted.count:
        return memoryview(b"")
    if accepted.count > ENTRIES_MAX:
        words = f"{accepted.count} records at once are more than {ENTRIES_MAX}"
        raise RefusedRecords(ErrorCode.MESSAGE_TOO_LARGE, words)
    wanted = ColumnSelection.KEY | ColumnSelection.VALUE
    columns = decode_columns([accepted.data], wanted=wanted, start=_ANY, check_crcs=False)
    key, value = columns.key, columns.value
    assert key is not None
    assert value is not None
    if key.nulls < columns.count:
        raise _unsupported("keys")
    if value.nulls:
        raise _unsupported("values that are null")
    used = Codec(read_entry(buffer).codec) if codec is None else codec
    if used > _HIGHEST:
        raise RefusedRecords(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
            f"Kafka 0.7's messages support gzip and snappy, not {used.name.lower()}",
        )
    return memoryview(encode_set(_items(value, columns.count), codec=used))


def _items(column: BytesColumn, count: int) -> list[memoryview]:
    ends, data = column.ends, memoryview(column.data)
    return [data[ends[index] : ends[index + 1]] for index in range(count)]


def _unsupported(what: str) -> RefusedRecords:
    return RefusedRecords(
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, f"Kafka 0.7's messages have no {what}"
    )
