"""Kafka 0.7 messages as batches of magic 2, whose offsets are positions of messages in their log.

A record from a compressed message has that message's offset plus its own number; if there are more
records than bytes, the surplus has the last byte's. The last offset of a batch is its messages'
last byte, so that reading continues at a message. Timestamps are unknown, keys are null.
"""

from array import array
from typing import NamedTuple

from barnabas.errors import CorruptRecord
from barnabas.kernels import layout
from barnabas.kernels.messages import byte_messages
from barnabas.records.batches.batch import CRC_AT, CRC_FROM, HEADER, HEADER_SIZE, PREFIX_SIZE
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import QUICK_LEVELS, Codec, compress
from barnabas.records.messages07.message07 import (
    CODEC_BITS,
    UNPACKED_BYTES_MAX,
    UnpackAllowance,
    encode_set,
    tables,
    unpack,
)
from barnabas.types import NO_TIMESTAMP, Buffer

_WIDTH = layout.BYTE_WIDTH
_BESIDE_PAYLOAD = 24
"""The most that a record has beside its value, and a little."""
_ENOUGH = 16 << 20
"""So many bytes out of compressed messages are opened at once, and a little: the loop waits for it."""
_NO_PRODUCER = (-1, -1, -1)


class ConvertedBatches(NamedTuple):
    """Batches, perhaps none, and the offset after the messages that were looked at."""

    data: bytearray
    next_offset: int


def batches_of(
    buffer: Buffer, offset: int, start: int, *, limit: int = UNPACKED_BYTES_MAX
) -> ConvertedBatches:
    """The whole messages of a part of a log that starts at `offset`; compressed ones stay so.

    Messages without a record from `start` on are skipped: a reader that continues after the first
    byte of a message has read it. Messages after a damaged one are skipped, too. `limit` bounds the
    decompressed bytes in total; what follows after `_ENOUGH` of them is left for the next call.

    Raises:
        CorruptRecord: the first message is damaged.
    """
    view = memoryview(buffer)
    made = bytearray()
    room = UnpackAllowance(limit)
    end = 0
    try:
        for table, count, after in tables(view, 0, len(view)):
            begun = int(offset + table[layout.BYTE_START] < start)
            kinds = table[layout.BYTE_KIND : count * _WIDTH : _WIDTH]
            packed = [row for row, kind in enumerate(kinds) if kind & CODEC_BITS]
            for row in (*packed, count):
                if row > begun:
                    made += _plain(view, table, (begun, row), offset)
                if row < count:
                    cells = table[row * _WIDTH : (row + 1) * _WIDTH]
                    if not made:
                        # The first may have all of it, whatever was passed over.
                        room = UnpackAllowance(limit)
                    made += _packed(view, cells, offset, start, room)
                    if made and limit - room.size >= _ENOUGH:
                        return ConvertedBatches(made, offset + cells[layout.BYTE_END])
                begun = row + 1
            end = after
    except CorruptRecord:
        if not made:
            raise
    return ConvertedBatches(made, offset + end)


def _plain(view: memoryview, table: "array[int]", rows: tuple[int, int], offset: int) -> bytearray:
    """One batch of neighbours that are not compressed."""
    first, last = rows
    start = table[first * _WIDTH + layout.BYTE_START]
    end = table[(last - 1) * _WIDTH + layout.BYTE_END]
    records = _records(view, table, first, last)
    return _batch(records, Codec.NONE, last - first, (offset + start, end - start))


def _packed(
    view: memoryview, row: "array[int]", offset: int, start: int, room: UnpackAllowance
) -> bytearray:
    """One batch with the contents of a compressed message; None if all of them are before `start`."""
    first, payload, end, kind = row
    codec = Codec(kind & CODEC_BITS)
    size = end - first
    inner = unpack(codec, view[payload:end], room)
    if not inner or offset + first + min(len(inner), size) <= start:
        return bytearray()
    # Put together again: they may have been in several messages, and of either magic.
    flat = memoryview(encode_set([one.payload for one in inner]))
    table = array("q")
    for part, found, _ in tables(flat, 0, len(flat), check_crcs=False):
        table += part[: found * _WIDTH]
    count = len(inner)
    table[layout.BYTE_START :: _WIDTH] = array("q", [min(one, size - 1) for one in range(count)])
    records = _records(flat, table, 0, count)
    return _batch(
        compress(codec, records, QUICK_LEVELS[codec]), codec, count, (offset + first, size)
    )


def _records(view: memoryview, table: "array[int]", first: int, last: int) -> memoryview:
    part = table[first * _WIDTH : last * _WIDTH]
    values = sum(part[layout.BYTE_END :: _WIDTH]) - sum(part[layout.BYTE_PAYLOAD :: _WIDTH])
    target = bytearray(values + _BESIDE_PAYLOAD * (last - first))
    end = byte_messages.records(view, table, first, last, target, 0)
    assert end >= 0, layout.WORDS[end]
    return memoryview(target)[:end]


def _batch(records: Buffer, codec: Codec, count: int, place: tuple[int, int]) -> bytearray:
    """A batch of records; `place` is where in the log, and how many bytes, its messages are."""
    base, size = place
    batch = bytearray(HEADER_SIZE + len(records))
    batch[HEADER_SIZE:] = records
    HEADER.pack_into(
        batch, 0, base, len(batch) - PREFIX_SIZE, -1, 2, 0, codec, size - 1,
        NO_TIMESTAMP, NO_TIMESTAMP, *_NO_PRODUCER, count,
    )  # fmt: skip
    batch[CRC_AT : CRC_AT + 4] = crc32c(memoryview(batch)[CRC_FROM:]).to_bytes(4, "big")
    return batch
