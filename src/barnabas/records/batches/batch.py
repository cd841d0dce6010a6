"""The header of a magic 2 batch: read, walk, change in place. Records are not decoded.

Messages of magic 0 and 1 are walked too, each as a batch of its own, as Kafka's log sees them.
Source: KIP-98 "Message Format", seed 002 "RecordBatch", "Message sets"; Kafka's DefaultRecordBatch,
AbstractLegacyRecordBatch.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

from barnabas.errors import DecodeError
from barnabas.records.checksums import crc32c
from barnabas.types import Buffer, new_tuple

HEADER_SIZE = 61
PREFIX_SIZE = 12
"""Base offset and batch length: what the batch length does not count."""
MAGIC_AT = 16
CRC_AT = 17
CRC_FROM = 21
"""The CRC covers from here to the end: not offset, length, leader epoch, which brokers rewrite."""

CODEC_MASK = 0x07
LOG_APPEND_TIME = 0x08
TRANSACTIONAL = 0x10
CONTROL = 0x20
DELETE_HORIZON = 0x40

HEADER = struct.Struct(">qiibIhiqqqhii")
"""The 61 bytes, in the order of `BatchHeader` but for its first two fields."""
_PREFIX = struct.Struct(">qiib")
_STAMPED = struct.Struct(">qii")
_OFFSET = struct.Struct(">q")
_CRC = struct.Struct(">I")
_CRC_ATTRIBUTES = struct.Struct(">Ih")
_ATTRIBUTES = struct.Struct(">h")
_PRODUCER = struct.Struct(">qhi")
_MAX_TIMESTAMP_AT = 35
_PRODUCER_AT = 43
_SMALLEST = HEADER_SIZE - PREFIX_SIZE
SMALLEST_LENGTHS = (14, 22, _SMALLEST)
"""The least length of a batch, or of a message of magic 0 or 1."""
SMALLEST_ENTRY = PREFIX_SIZE + min(SMALLEST_LENGTHS)
_MESSAGE = struct.Struct(">qiIbb")
_MESSAGE_TIME_AT = _MESSAGE.size
_MESSAGE_HEADER_SIZE = _MESSAGE.size + 8
_HEADER_SIZES = (_MESSAGE.size, _MESSAGE_HEADER_SIZE)
_MESSAGE_CRC_FROM = MAGIC_AT
_UNKNOWN = -1


class BatchHeader(NamedTuple):
    """The 61 bytes as numbers; `position` is where the batch starts in its buffer.

    `size` is the whole batch with its 12 byte prefix. Timestamps are milliseconds since the epoch.
    Of a message of magic 0 or 1 (see `read_entry`), what it does not have is -1. If it is
    compressed, its offset is that of the last record in it; how many there are (`count` -1) and
    where they begin is only known inside.
    """

    position: int
    size: int
    base_offset: int
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    count: int  # type: ignore[assignment]  # hides tuple.count

    @property
    def end(self) -> int:
        """Where the next batch starts in the buffer."""
        return self.position + self.size

    @property
    def codec(self) -> int:
        """Number of the compression codec (0-7; not all are known)."""
        return self.attributes & CODEC_MASK

    @property
    def log_append_time(self) -> bool:
        """Whether every record has the timestamp `max_timestamp`, given by the broker."""
        return bool(self.attributes & LOG_APPEND_TIME)

    @property
    def transactional(self) -> bool:
        """Whether the batch belongs to a transaction."""
        return bool(self.attributes & TRANSACTIONAL)

    @property
    def control(self) -> bool:
        """Whether it holds a transaction marker rather than records."""
        return bool(self.attributes & CONTROL)

    @property
    def has_delete_horizon(self) -> bool:
        """Whether `base_timestamp` is the time from which tombstones may be deleted (KIP-534)."""
        return bool(self.attributes & DELETE_HORIZON)

    @property
    def last_offset(self) -> int:
        """Offset of the last record, also where compaction has removed it."""
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """What to fetch next."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def last_sequence(self) -> int:
        """Sequence of the last record; sequences go from 2^31 - 1 to 0. -1 where there are none."""
        if self.base_sequence < 0:
            return -1
        return (self.base_sequence + self.last_offset_delta) & 0x7FFFFFFF


def read_header(buffer: Buffer, position: int = 0) -> BatchHeader:
    """Read the header of the batch at `position`; the rest of the batch need not be there.

    Raises:
        DecodeError: fewer than 61 bytes are there, the length is smaller than a header or the magic
            is not 2.
    """
    try:
        row = HEADER.unpack_from(buffer, position)
    except struct.error:
        raise DecodeError("batch", position, f"{HEADER_SIZE} bytes of header") from None
    length, magic = row[1], row[3]
    if magic != 2 or length < _SMALLEST:
        raise _nonsense(position, length, magic)
    return new_tuple(BatchHeader, (position, length + PREFIX_SIZE, row[0], *row[2:]))


def read_entry(buffer: Buffer, position: int = 0) -> BatchHeader:
    """Read the header of a batch, or of a message of magic 0 or 1 as if it were a batch.

    Raises:
        DecodeError: the header is not there whole, the length is smaller than it or the magic is
            higher than 2.
    """
    if len(buffer) - position <= MAGIC_AT or buffer[position + MAGIC_AT] == 2:
        return read_header(buffer, position)
    offset, length, crc, magic, attributes = _MESSAGE.unpack_from(buffer, position)
    if magic not in (0, 1) or length < SMALLEST_LENGTHS[magic]:
        raise _nonsense(position, length, magic)
    timestamp = _UNKNOWN
    if magic == 1:
        if len(buffer) - position < _MESSAGE_HEADER_SIZE:
            raise DecodeError("message", position, f"{_MESSAGE_HEADER_SIZE} bytes of header")
        timestamp = _OFFSET.unpack_from(buffer, position + _MESSAGE_TIME_AT)[0]
    attributes &= CODEC_MASK | (LOG_APPEND_TIME if magic else 0)
    count = _UNKNOWN if attributes & CODEC_MASK else 1
    head = (position, length + PREFIX_SIZE, offset, _UNKNOWN, magic, crc, attributes, 0)
    return BatchHeader(*head, timestamp, timestamp, _UNKNOWN, _UNKNOWN, _UNKNOWN, count)


def header_size(buffer: Buffer, position: int) -> int:
    """How many bytes `read_entry` needs at `position`, where `SMALLEST_ENTRY` are there."""
    magic = buffer[position + MAGIC_AT]
    return _HEADER_SIZES[magic] if magic < 2 else HEADER_SIZE


def walk(buffer: Buffer, position: int = 0) -> Iterator[BatchHeader]:
    """Read the headers of all whole batches and messages; one that is cut off ends it quietly.

    Raises:
        DecodeError: as `read_entry`; the batches before were yielded.
    """
    size = len(buffer)
    while size - position > MAGIC_AT:
        _, length, _, magic = _PREFIX.unpack_from(buffer, position)
        if not 0 <= magic <= 2 or length < SMALLEST_LENGTHS[magic]:
            raise _nonsense(position, length, magic)
        if length + PREFIX_SIZE > size - position:
            return
        yield read_entry(buffer, position)
        position += length + PREFIX_SIZE


def end_of_batches(buffer: Buffer, position: int) -> int:
    """Where batches from `position` on give way to messages of magic 0 or 1, or the end."""
    size = len(buffer)
    while size - position > MAGIC_AT:
        _, length, _, magic = _PREFIX.unpack_from(buffer, position)
        if magic in (0, 1):
            return position
        if not _SMALLEST <= length <= size - position - PREFIX_SIZE:
            break
        position += length + PREFIX_SIZE
    return size


def _nonsense(position: int, length: int, magic: int) -> DecodeError:
    if not 0 <= magic <= 2:
        return DecodeError("batch.magic", position + MAGIC_AT, f"0 to 2, not {magic}")
    least = SMALLEST_LENGTHS[magic]
    if length >= least:
        return DecodeError("batch.magic", position + MAGIC_AT, f"2, not {magic}")
    return DecodeError("batch.length", position + 8, f"at least {least}, not {length}")


def crc_is_right(buffer: Buffer, header: BatchHeader) -> bool:
    """Whether the CRC of a whole batch matches its bytes."""
    start = header.position
    if header.magic < 2:
        covered = memoryview(buffer)[start + _MESSAGE_CRC_FROM : start + header.size]
        return crc32(covered) == header.crc
    return crc32c(memoryview(buffer)[start + CRC_FROM : start + header.size]) == header.crc


def stamp(buffer: bytearray | memoryview, size: int, base_offset: int, leader_epoch: int) -> None:
    """Give the batch of `size` bytes at the start of a buffer offset and leader epoch, in place.

    Both are outside the CRC. The length between them is written again, as it is: one call for all
    three is the fastest way.
    """
    _STAMPED.pack_into(buffer, 0, base_offset, size - PREFIX_SIZE, leader_epoch)


def stamp_append_time(buffer: bytearray | memoryview, header: BatchHeader, now_ms: int) -> None:
    """Give all records of a whole batch the time `now_ms`, in place, with a new CRC."""
    start = header.position
    _ATTRIBUTES.pack_into(buffer, start + CRC_FROM, header.attributes | LOG_APPEND_TIME)
    _OFFSET.pack_into(buffer, start + _MAX_TIMESTAMP_AT, now_ms)
    crc = crc32c(memoryview(buffer)[start + CRC_FROM : start + header.size])
    _CRC_ATTRIBUTES.pack_into(buffer, start + CRC_AT, crc, header.attributes | LOG_APPEND_TIME)


def stamp_newest(buffer: bytearray | memoryview, header: BatchHeader, newest: int) -> BatchHeader:
    """Say of a whole batch that its producer gave the times and `newest` is the greatest, in place.

    Gives the header as it is then, with a new CRC.
    """
    start, attributes = header.position, header.attributes & ~LOG_APPEND_TIME
    _ATTRIBUTES.pack_into(buffer, start + CRC_FROM, attributes)
    _OFFSET.pack_into(buffer, start + _MAX_TIMESTAMP_AT, newest)
    crc = crc32c(memoryview(buffer)[start + CRC_FROM : start + header.size])
    _CRC.pack_into(buffer, start + CRC_AT, crc)
    return header._replace(attributes=attributes, max_timestamp=newest, crc=crc)


def stamp_producer(
    buffer: bytearray | memoryview, producer_id: int, producer_epoch: int, base_sequence: int
) -> None:
    """Give the batch that fills `buffer` its producer and sequence, in place, with a new CRC."""
    _PRODUCER.pack_into(buffer, _PRODUCER_AT, producer_id, producer_epoch, base_sequence)
    _CRC.pack_into(buffer, CRC_AT, crc32c(memoryview(buffer)[CRC_FROM:]))
