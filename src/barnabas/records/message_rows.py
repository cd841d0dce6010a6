"""Message sets of magic 0 and 1 as tables of rows: found, CRCs checked, decompressed.

To open a compressed message is to find the messages inside and the offsets that consumers see.
Source: seed 002 "Message sets", KIP-31, KIP-32; Kafka's AbstractLegacyRecordBatch.
"""

import struct
from array import array
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple
from zlib import crc32

from barnabas.errors import CorruptRecord
from barnabas.kernels import layout
from barnabas.kernels.messages import message_rows
from barnabas.records.batches.batch import (
    CODEC_MASK,
    LOG_APPEND_TIME,
    MAGIC_AT,
    PREFIX_SIZE,
    BatchHeader,
    walk,
)
from barnabas.records.codecs.compression import Codec
from barnabas.records.codecs.lz4_frames import rightly_summed
from barnabas.types import Buffer

_WIDTH = layout.WIDTH
_FIRST_ROOM, _MOST_ROOM = 16, 1 << 14
_MOST_INSIDE = 1 << 16
"""Rows that a compressed message may have: neighbours alike are one, and others are rare."""
_KERNEL_LIMIT = 1024
"""Bytes of a message up to which its CRC costs less in the kernel than a call of zlib does."""
_SIZE_AND_CRC = struct.Struct(">iI")
_WRONG = 2
_STORED_BITS = 0xFFFF


class WrongCrc(CorruptRecord):
    """A message does not have the CRC that it states."""


class MessageRows(NamedTuple):
    """Rows of messages, and the position of the first message after them in their buffer."""

    table: "array[int]"
    end: int

    @property
    def rows(self) -> range:
        """The numbers of the rows."""
        return range(len(self.table) // _WIDTH)


def message_tables(buffer: Buffer, start: int, end: int) -> Iterator[MessageRows]:
    """The rows of the messages in a part of a buffer.

    A message that is cut off ends it quietly, as does one of another magic.

    Raises:
        CorruptRecord: a message is nonsense; the rows before were yielded.
    """
    progress = array("q", (start,))
    room = _FIRST_ROOM
    while True:
        table = array("q", bytes(8 * _WIDTH * room))
        found = message_rows.rows(buffer, progress[0], end, table, progress)
        if found < 0:
            raise CorruptRecord(f"message at byte {progress[0]}: {layout.WORDS[found]}")
        if found:
            yield MessageRows(table[: _WIDTH * found], progress[0])
        if found < room:
            return
        room = min(4 * room, _MOST_ROOM)


def end_of_messages(buffer: Buffer, position: int) -> tuple[int, int]:
    """Where the whole messages from `position` on end, and the offset after the last; -1 for none.

    Raises:
        CorruptRecord: a message is damaged.
    """
    next_offset = -1
    for table, end in message_tables(buffer, position, len(buffer)):
        next_offset = table[-_WIDTH + layout.BASE_OFFSET] + table[-_WIDTH + layout.LAST_DELTA] + 1
        position = end
    return position, next_offset


def entries(buffer: Buffer) -> Iterator[BatchHeader]:
    """As `walk`, but uncompressed messages alike come together, as one with a count.

    Alike are neighbours of one magic and one type of time. The CRC of such a header means nothing.

    Raises:
        CorruptRecord: something is neither batch nor message.
        DecodeError: a batch has a length that cannot be.
    """
    position, size = 0, len(buffer)
    while size - position > MAGIC_AT:
        if buffer[position + MAGIC_AT] > 1:
            header = next(walk(buffer, position), None)
            if header is None:
                return
            yield header
            position = header.end
            continue
        start = position
        for found in message_tables(buffer, position, size):
            yield from (_header(found.table, row * _WIDTH) for row in found.rows)
            position = found.end
        if position == start:
            return


def _header(table: "array[int]", at: int) -> BatchHeader:
    """A row as if it were a batch."""
    attributes = table[at + layout.ATTRIBUTES]
    packed = attributes & CODEC_MASK
    return BatchHeader(
        table[at + layout.POSITION],
        table[at + layout.SIZE],
        table[at + layout.BASE_OFFSET],
        -1,
        int(bool(attributes & layout.HAS_TIMES)),
        table[at + layout.CRC],
        attributes & _STORED_BITS,
        table[at + layout.LAST_DELTA],
        table[at + layout.BASE_TIMESTAMP],
        table[at + layout.MAX_TIMESTAMP],
        -1,
        -1,
        -1,
        -1 if packed else table[at + layout.COUNT],
    )


def check_message_crcs(buffer: Buffer, start: int, end: int) -> None:
    """Verify the CRC32 of every message in a part of a buffer; the caller has checked lengths.

    Raises:
        WrongCrc: one is wrong.
    """
    view = memoryview(buffer)
    progress = array("q", (start,))
    while True:
        found = message_rows.check_crcs(
            buffer, progress[0], end, _KERNEL_LIMIT, crc32_tables(), progress
        )
        if found <= 0:
            return
        position = progress[0]
        length, crc = _SIZE_AND_CRC.unpack_from(buffer, position + 8)
        after = position + PREFIX_SIZE + length
        if found == _WRONG or crc32(view[position + PREFIX_SIZE + 4 : after]) != crc:
            offset = int.from_bytes(view[position : position + 8], "big", signed=True)
            raise WrongCrc(f"message at offset {offset}: its CRC is wrong")
        progress[0] = after


@cache
def crc32_tables() -> "array[int]":
    """The arguments that kernels need for a CRC32."""
    made = array("I", bytes(8 * 256 * 4))
    message_rows.fill(made)
    return made


def packed_value(buffer: Buffer, table: "array[int]", at: int) -> Buffer:
    """The content of a compressed message, ready for `decompress`; its row starts at `at`.

    Raises:
        CorruptRecord: the codec is not one of message sets.
    """
    codec = table[at + layout.ATTRIBUTES] & CODEC_MASK
    if codec > Codec.LZ4:
        offset = table[at + layout.BASE_OFFSET]
        raise CorruptRecord(f"message at offset {offset}: codec {codec} is for magic 2 and higher")
    packed = memoryview(buffer)[table[at + layout.START] : table[at + layout.END]]
    return rightly_summed(packed) if codec == Codec.LZ4 else packed


def open_message(
    data: Buffer, start: int, end: int, table: "array[int]", at: int, *, nested: bool
) -> list[MessageRows]:
    """The rows of the decompressed contents of the message whose row starts at `at`.

    Magic 0 has absolute offsets inside. Magic 1 has relative ones, and the message itself has the
    last one; 0 there means an old librdkafka, and they count from 0. The message's broker time and
    timestamp type apply to its contents. In magic 0, its contents may be compressed too, if
    `nested`.

    Raises:
        CorruptRecord: it holds nothing, something compressed, or impossible offsets.
    """
    offset, attributes = table[at + layout.BASE_OFFSET], table[at + layout.ATTRIBUTES]
    try:
        inner = _inside(data, start, end)
        shift = _shift(offset, attributes, inner)
    except CorruptRecord as error:
        raise CorruptRecord(f"message at offset {offset}: {error}") from error
    append_time = attributes & LOG_APPEND_TIME
    for rows, _ in inner:
        for row in range(0, len(rows), _WIDTH):
            kind, inside = rows[row + layout.ATTRIBUTES], rows[row + layout.BASE_OFFSET]
            if shift and not 0 <= inside <= offset - shift:
                what = f"one inside has the offset {inside}, not 0 to {offset - shift}"
                raise CorruptRecord(f"message at offset {offset}: {what}")
            rows[row + layout.SHIFT] = shift
            if kind & CODEC_MASK and not (nested and not (kind | attributes) & layout.HAS_TIMES):
                raise CorruptRecord(f"message at offset {offset}: {layout.WORDS[layout.NESTED]}")
            if kind & layout.HAS_TIMES:
                kind = kind & ~LOG_APPEND_TIME | append_time
            if kind & layout.HAS_TIMES and append_time:
                kind |= layout.TIME_OF_ROW
                rows[row + layout.MAX_TIMESTAMP] = table[at + layout.MAX_TIMESTAMP]
            rows[row + layout.ATTRIBUTES] = kind
    return inner


def _inside(data: Buffer, start: int, end: int) -> list[MessageRows]:
    inner: list[MessageRows] = []
    count = 0
    for found in message_tables(data, start, end):
        inner.append(found)
        count += len(found.rows)
        if count > _MOST_INSIDE:
            raise CorruptRecord(f"it holds more than {_MOST_INSIDE} kinds of messages")
    return inner


def _shift(offset: int, attributes: int, inner: list[MessageRows]) -> int:
    """The number to add to the offsets inside a message."""
    if not inner:
        raise CorruptRecord(layout.WORDS[layout.NOT_COMPRESSED_DATA])
    if not attributes & layout.HAS_TIMES or not offset:
        return 0
    table = inner[-1].table
    last = table[-_WIDTH + layout.BASE_OFFSET] + table[-_WIDTH + layout.LAST_DELTA]
    # pykafka numbers nothing: all offsets, that of the message too, are -1.
    if offset < last or (last < 0 and last != offset):
        raise CorruptRecord(f"the last message inside has the offset {last}, not 0 to {offset}")
    return offset - last
