"""The header of a magic 2 batch: read, walked, stamped in place. Records inside are left alone.

Source: KIP-98 "Message Format", seed 002 "RecordBatch"; Kafka's DefaultRecordBatch.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from barnabas.errors import DecodeError
from barnabas.records.checksums import crc32c
from barnabas.types import Buffer

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
_OFFSET = struct.Struct(">q")
_EPOCH = struct.Struct(">i")
_CRC = struct.Struct(">I")
_CRC_ATTRIBUTES = struct.Struct(">Ih")
_ATTRIBUTES = struct.Struct(">h")
_PRODUCER = struct.Struct(">qhi")
_MAX_TIMESTAMP_AT = 35
_PRODUCER_AT = 43
_SMALLEST = HEADER_SIZE - PREFIX_SIZE


class BatchHeader(NamedTuple):
    """The 61 bytes as numbers; `position` is where the batch starts in its buffer.

    `size` is the whole batch with its 12 byte prefix. Timestamps are milliseconds since the epoch.
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
        """Whether `base_timestamp` is the time from which tombstones may go (KIP-534)."""
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
    # Twice as fast as calling the class.
    return tuple.__new__(BatchHeader, (position, length + PREFIX_SIZE, row[0], *row[2:]))


def walk(buffer: Buffer, position: int = 0) -> Iterator[BatchHeader]:
    """Read the headers of all whole batches; a batch that is cut off at the end ends it quietly.

    Raises:
        DecodeError: as `read_header`; the batches before were yielded.
    """
    size = len(buffer)
    while size - position > MAGIC_AT:
        _, length, _, magic = _PREFIX.unpack_from(buffer, position)
        if magic != 2 or length < _SMALLEST:
            raise _nonsense(position, length, magic)
        if length + PREFIX_SIZE > size - position:
            return
        yield read_header(buffer, position)
        position += length + PREFIX_SIZE


def _nonsense(position: int, length: int, magic: int) -> DecodeError:
    if magic != 2:
        return DecodeError("batch.magic", position + MAGIC_AT, f"2, not {magic}")
    return DecodeError("batch.length", position + 8, f"at least {_SMALLEST}, not {length}")


def crc_is_right(buffer: Buffer, header: BatchHeader) -> bool:
    """Whether the bytes of a whole batch are those that its CRC was made of."""
    start = header.position
    return crc32c(memoryview(buffer)[start + CRC_FROM : start + header.size]) == header.crc


def stamp(
    buffer: bytearray | memoryview, position: int, base_offset: int, leader_epoch: int
) -> None:
    """Give a batch its offset and leader epoch, in place. Both are outside the CRC."""
    _OFFSET.pack_into(buffer, position, base_offset)
    _EPOCH.pack_into(buffer, position + PREFIX_SIZE, leader_epoch)


def stamp_append_time(buffer: bytearray | memoryview, header: BatchHeader, now_ms: int) -> None:
    """Give all records of a whole batch the time `now_ms`, in place, with a new CRC."""
    start = header.position
    _ATTRIBUTES.pack_into(buffer, start + CRC_FROM, header.attributes | LOG_APPEND_TIME)
    _OFFSET.pack_into(buffer, start + _MAX_TIMESTAMP_AT, now_ms)
    crc = crc32c(memoryview(buffer)[start + CRC_FROM : start + header.size])
    _CRC_ATTRIBUTES.pack_into(buffer, start + CRC_AT, crc, header.attributes | LOG_APPEND_TIME)


def stamp_producer(
    buffer: bytearray | memoryview, producer_id: int, producer_epoch: int, base_sequence: int
) -> None:
    """Give the batch that fills `buffer` its producer and sequence, in place, with a new CRC."""
    _PRODUCER.pack_into(buffer, _PRODUCER_AT, producer_id, producer_epoch, base_sequence)
    _CRC.pack_into(buffer, CRC_AT, crc32c(memoryview(buffer)[CRC_FROM:]))
