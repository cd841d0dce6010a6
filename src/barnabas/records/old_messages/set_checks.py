"""Check a message set of an old producer before the append, and convert it if necessary.

Kafka does the same by recompression and conversion in its LogValidator. Offsets and times inside a
producer's compressed message are ignored and assigned again. Source: Kafka's LogValidator,
UnifiedLog.analyzeAndValidateRecords; seed 003 on the offset field.
"""

from array import array
from dataclasses import dataclass
from typing import NamedTuple

from barnabas.errors import CorruptRecord, DecodeError, ErrorCode
from barnabas.records.batches.batch import BatchHeader, crc_is_right, read_header, walk
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking, produced_bytes_max
from barnabas.records.codecs.compression import Codec, UnpackedTooLarge
from barnabas.records.columns.ascending import ascending
from barnabas.records.columns.columns import ColumnSelection, RecordColumns, decode_columns
from barnabas.records.message_rows import WrongCrc, entries
from barnabas.records.old_messages.set_writing import write_batches, write_set
from barnabas.types import NO_TIMESTAMP, Buffer

_RECORDS_MAX = 1 << 20
"""How many records a set may have: each takes some 60 bytes until it is appended."""
_BYTES_MAX = 32 << 20
"""The uncompressed bytes that a set may have: it is held three times until it is appended."""
_ENTRIES_MAX = 1 << 16
"""How many times in a set compression, magic or the type of time may change."""
_ANY = -(2**63)
"""Producers may put any offset into a message."""


@dataclass(frozen=True, slots=True)
class SetRules:
    """The messages that a topic accepts.

    `magic` is the topic's format, `codec` its codec (None keeps the producer's). A message may have
    up to `max_bytes` as it was sent. A higher magic than `known` counts as damage, as for a broker
    from before that magic. `alone`: a compressed message must be the only one, as since Kafka 2.4;
    before, a whole set became one compressed message. `nested`: a compressed message of magic 0 may
    contain others, to any depth, which are read as if all were in the outermost, as by Kafka 0.8.
    """

    magic: int
    max_bytes: int
    codec: Codec | None = None
    known: int = 2
    alone: bool = False
    nested: bool = False


class AcceptedSet(NamedTuple):
    """The bytes to append. In magic 2 they are one batch with offset 0; `count` is 0 if there are none."""

    data: bytearray
    count: int  # type: ignore[assignment]  # hides tuple.count
    max_timestamp: int


def accept_set(
    buffer: Buffer,
    rules: SetRules,
    *,
    first_offset: int = 0,
    append_time_ms: int | None = None,
    unpacking: Unpacking | None = None,
) -> AcceptedSet:
    """Check the records that an old producer sent for one partition, and convert them for the log.

    Args:
        buffer: messages of magic 0 or 1, or batches of magic 2; one cut off at the end is left out.
        rules: what the topic accepts.
        first_offset: the offset of the first record, for magic 0 and 1.
        append_time_ms: the time that all records get, in magic 1; the log stamps those of magic 2.
        unpacking: what the request may still decompress; None for a new request.

    Raises:
        RefusedRecords: with Kafka's error code, and the message for the response.
    """
    to_magic = rules.magic
    sent, used = _check_entries(buffer, rules)
    if sent is None:
        return AcceptedSet(bytearray(), 0, NO_TIMESTAMP)
    if to_magic < 2:
        _refuse_what_old_formats_lack(sent, to_magic)
    columns = _columns(used, unpacking or Unpacking(), packed=bool(sent.codec), nested=rules.nested)
    if to_magic < 2 and columns.headers is not None and columns.headers.ends[columns.count]:
        raise RefusedRecords(
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, f"magic {to_magic} has no headers"
        )
    codec = Codec(sent.codec) if rules.codec is None else rules.codec
    columns = _numbered(columns, 0 if to_magic == 2 else first_offset, append_time_ms)
    if to_magic == 2:
        data = write_batches(columns, codec)
        newest = read_header(data).max_timestamp if data else NO_TIMESTAMP
        return AcceptedSet(data, columns.count, newest)
    assert columns.timestamps is not None
    data = write_set(columns, to_magic, codec, append_time=append_time_ms is not None)
    newest = max(columns.timestamps, default=NO_TIMESTAMP) if to_magic else NO_TIMESTAMP
    return AcceptedSet(data, columns.count, newest)


def _columns(
    used: memoryview, unpacking: Unpacking, *, packed: bool, nested: bool
) -> RecordColumns:
    """All records of a set; `packed`: some are compressed."""
    limit = min(_BYTES_MAX, produced_bytes_max(len(used)))
    if packed:
        unpacking.check()
    if len(used) > _BYTES_MAX:
        raise RefusedRecords(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"a message set of {len(used)} bytes; {_BYTES_MAX} are converted at once",
        )
    try:
        columns = decode_columns(
            [used],
            wanted=ColumnSelection.ALL,
            start=_ANY,
            limit=limit,
            nested=nested,
            most_records=_RECORDS_MAX,
        )
    except CorruptRecord as error:
        if packed:
            unpacking.failed(len(used), limit)
        code = ErrorCode.INVALID_RECORD
        if isinstance(error, WrongCrc | UnpackedTooLarge):
            code = error.code
        raise RefusedRecords(code, str(error)) from error
    if packed:
        unpacking.took(len(used), columns.unpacked)
    return columns


def _check_entries(buffer: Buffer, rules: SetRules) -> tuple[BatchHeader | None, memoryview]:
    """The header with the codec and producer of a set, and the whole messages of the buffer.

    The header is that of the last compressed entry, as in Kafka, or of the first.
    """
    sent: BatchHeader | None = None
    end = 0
    try:
        for number, header in enumerate(entries(buffer)):
            if number == _ENTRIES_MAX:
                raise RefusedRecords(
                    ErrorCode.MESSAGE_TOO_LARGE, f"a set of more than {number} kinds of messages"
                )
            _check_entry(buffer, header, rules)
            if sent is not None and _must_be_alone(sent, header, rules):
                raise RefusedRecords(
                    ErrorCode.INVALID_RECORD, "more than one entry beside a compressed one or batch"
                )
            if sent is None or header.codec:
                sent = header
            end = header.end
    except (CorruptRecord, DecodeError) as error:
        raise RefusedRecords(ErrorCode.CORRUPT_MESSAGE, str(error)) from error
    return sent, memoryview(buffer)[:end]


def _must_be_alone(one: BatchHeader, other: BatchHeader, rules: SetRules) -> bool:
    modern = one.magic == 2 or other.magic == 2
    return modern or (rules.alone and bool(one.codec or other.codec))


def _check_entry(buffer: Buffer, header: BatchHeader, rules: SetRules) -> None:
    max_bytes = rules.max_bytes
    if header.magic > rules.known:
        raise RefusedRecords(
            ErrorCode.CORRUPT_MESSAGE, f"magic {header.magic} is unknown in this release"
        )
    largest = header.size
    if largest > max_bytes and header.count > 1 and header.magic < 2:
        # Many messages; rarely one of them is too large.
        run = memoryview(buffer)[header.position : header.end]
        largest = max(each.size for each in walk(run))
    if largest > max_bytes:
        raise RefusedRecords(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"a message has {largest} bytes, the topic takes up to {max_bytes}",
        )
    if header.magic == 2 and not crc_is_right(buffer, header):
        raise RefusedRecords(
            ErrorCode.CORRUPT_MESSAGE, f"the batch at byte {header.position} has a wrong CRC"
        )
    if header.log_append_time:
        raise RefusedRecords(
            ErrorCode.INVALID_TIMESTAMP, "a producer must not claim that a broker set the time"
        )
    if header.control:
        raise RefusedRecords(ErrorCode.INVALID_RECORD, "clients may not write control records")
    if header.codec > Codec.ZSTD:
        raise RefusedRecords(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"unknown codec {header.codec}"
        )


def _refuse_what_old_formats_lack(sent: BatchHeader, to_magic: int) -> None:
    if sent.producer_id >= 0:
        raise RefusedRecords(
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, f"magic {to_magic} has no producer ids"
        )
    if sent.codec >= Codec.ZSTD:
        raise RefusedRecords(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"magic {to_magic} has no codec {sent.codec}"
        )


def _numbered(
    columns: RecordColumns, first_offset: int, append_time_ms: int | None
) -> RecordColumns:
    """The columns with offsets from `first_offset` on, and with the broker's time if it has one."""
    count = columns.count
    if first_offset:
        offsets = memoryview(array("q", range(first_offset, first_offset + count)))
    else:
        offsets = ascending("q", count)
    if append_time_ms is None:
        return columns._replace(offsets=offsets)
    times = memoryview(array("q", (append_time_ms,)) * count)
    return columns._replace(offsets=offsets, timestamps=times)
