"""A fetch result of one partition: whole batches, still encoded. Decodes no record."""

import struct
from array import array
from dataclasses import dataclass
from typing import Final

from barnabas.errors import BrokerError, DecodeError, ErrorCode
from barnabas.kernels.batches import batch_rows
from barnabas.protocol.fetch import PartitionData
from barnabas.records.batches.batch import MAGIC_AT, SMALLEST_ENTRY
from barnabas.records.message_rows import end_of_messages
from barnabas.types import TopicPartition

_PREFIX: Final = struct.Struct(">qi")
_DELTA: Final = struct.Struct(">i")
_EPOCH_AT: Final = 12
_DELTA_AT: Final = 23
_PREFIX_SIZE: Final = 12
_HEADER_SIZE: Final = 61
_MAGIC_OF_BATCHES: Final = 2
_NOTHING: Final = memoryview(b"")


@dataclass(frozen=True, slots=True)
class FetchedRecords:
    """Records of one partition as received.

    `start` is the requested offset: the first batch may contain records below it, to be skipped.
    `next_offset` and `next_epoch` are the next position, and the leader epoch of the last batch.
    `aborted` holds (producer id, first offset) of aborted transactions, by first offset.
    """

    where: TopicPartition
    records: memoryview
    start: int
    next_offset: int
    next_epoch: int
    high_watermark: int
    aborted: tuple[tuple[int, int], ...] = ()


def end_of(records: memoryview) -> tuple[int, int, int]:
    """Return the size of the whole batches in `records`, the offset after the last one, its leader epoch.

    (0, -1, -1) without a whole batch. A truncated batch at the end does not count. A message of
    magic 0 or 1 counts as a batch, and has no epoch (-1).

    Raises:
        DecodeError: a batch is shorter than its own header.
        CorruptRecord: a message is.
    """
    size = len(records)
    position, after, epoch = 0, -1, -1
    found = array("q", (0, 0))
    while size - position >= SMALLEST_ENTRY:
        # One call for all batches that follow one another: there may be one for each record.
        batch_rows.last_whole(records[position:], found)
        last, step = found
        if step:
            after = _PREFIX.unpack_from(records, position + last)[0] + 1
            after += _DELTA.unpack_from(records, position + last + _DELTA_AT)[0]
            epoch = _DELTA.unpack_from(records, position + last + _EPOCH_AT)[0]
            position += step
            continue
        if records[position + MAGIC_AT] < _MAGIC_OF_BATCHES:
            end, after_messages = end_of_messages(records, position)
            if end == position:
                break
            position, after, epoch = end, after_messages, -1
            continue
        if size - position < _HEADER_SIZE:
            break
        base, length = _PREFIX.unpack_from(records, position)
        if length < _HEADER_SIZE - _PREFIX_SIZE:
            raise DecodeError("batch.length", position + 8, f"49 or more, not {length}")
        if position + _PREFIX_SIZE + length > size:
            break
        # Of a later magic: decoding it says so.
        after = base + _DELTA.unpack_from(records, position + _DELTA_AT)[0] + 1
        epoch = _DELTA.unpack_from(records, position + _EPOCH_AT)[0]
        position += _PREFIX_SIZE + length
    return position, after, epoch


def records_of(data: PartitionData) -> memoryview:
    """The records of one partition of a response; empty if there are none."""
    records = data.records
    if records is None:
        return _NOTHING
    assert isinstance(records, memoryview), "decoding gives a view"
    return records


def too_large(where: TopicPartition, offset: int, size: int) -> BrokerError:
    """The error for a response with only part of a batch, which cannot make progress."""
    return BrokerError(
        ErrorCode.MESSAGE_TOO_LARGE,
        f"{where.topic}-{where.partition}: the batch at offset {offset} does not fit into {size} "
        "bytes; raise max.partition.fetch.bytes",
    )
