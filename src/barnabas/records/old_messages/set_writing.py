"""RecordColumns as bytes of any format: message sets of magic 0 and 1, batches of magic 2.

No Python object is created per record. Compression is fast rather than small: the data is converted
on the fly. Source: seeds 002 and 003 "Message format", KIP-31, KIP-32, KIP-98.
"""

import struct
from array import array
from zlib import crc32

from barnabas.kernels.batches import batch_writing
from barnabas.kernels.batches.batch_writing import Rows, Strings
from barnabas.kernels.messages import message_writing
from barnabas.kernels.messages.message_writing import Messages
from barnabas.records.batches.batch import HEADER_SIZE, LOG_APPEND_TIME
from barnabas.records.batches.builder import finish
from barnabas.records.codecs.compression import QUICK_LEVELS, Codec, compress
from barnabas.records.codecs.lz4_frames import wrongly_summed
from barnabas.records.columns.ascending import ascending
from barnabas.records.columns.columns import BytesColumn, RecordColumns
from barnabas.records.message_rows import crc32_tables
from barnabas.types import NO_TIMESTAMP, Buffer

_FIXED = (26, 34)
"""Bytes of a message beside its key and value."""
_LARGEST = 2**31 - 1
_NO_INTS = memoryview(array("i"))
_NO_STRINGS = Strings(_NO_INTS, b"", b"", 0)
_WRAPPER_0 = struct.Struct(">qiIbbii")
_WRAPPER_1 = struct.Struct(">qiIbbqii")
_CRC = struct.Struct(">I")
_CRC_AT, _CRC_FROM = 12, 16


def write_set(
    columns: RecordColumns, magic: int, codec: Codec, *, append_time: bool = False
) -> bytearray:
    """A message set of magic 0 or 1 with the offsets of the columns; headers are left out.

    Compressed, it is one message that holds all of them: in magic 0 with their own offsets, in
    magic 1 with offsets from 0 on. `append_time`: the timestamps are the broker's.
    """
    assert columns.offsets is not None
    assert columns.timestamps is not None
    attributes = LOG_APPEND_TIME if append_time and magic else 0
    messages = _messages(columns)
    if codec == Codec.NONE:
        return _written(messages, columns, magic, attributes, 0)
    first, last = columns.offsets[0], columns.offsets[columns.count - 1]
    inner = _written(messages, columns, magic, attributes, -first if magic else 0)
    packed = compress(codec, inner, QUICK_LEVELS[codec])
    return wrap(
        packed, magic, codec, attributes, last, max(columns.timestamps) if magic else NO_TIMESTAMP
    )


def wrap(
    packed: Buffer, magic: int, codec: Codec, attributes: int, offset: int, timestamp: int
) -> bytearray:
    """A message with this offset and time whose value is a message set, `packed` by the codec."""
    if codec == Codec.LZ4 and not magic:
        packed = wrongly_summed(packed)
    attributes |= codec
    size = len(packed)
    if magic:
        length = _WRAPPER_1.size - 12 + size
        made = bytearray(_WRAPPER_1.pack(offset, length, 0, magic, attributes, timestamp, -1, size))
    else:
        length = _WRAPPER_0.size - 12 + size
        made = bytearray(_WRAPPER_0.pack(offset, length, 0, magic, attributes, -1, size))
    made += packed
    with memoryview(made) as view, view[_CRC_FROM:] as covered:
        _CRC.pack_into(made, _CRC_AT, crc32(covered))
    return made


def _messages(columns: RecordColumns) -> Messages:
    assert columns.offsets is not None
    assert columns.timestamps is not None
    return Messages(columns.offsets, columns.timestamps, _parts(columns.key), _parts(columns.value))


def _parts(column: BytesColumn | None) -> tuple[memoryview, Buffer, Buffer]:
    assert column is not None
    return column.ends, column.data, b"" if column.validity is None else column.validity


def _written(
    messages: Messages, columns: RecordColumns, magic: int, attributes: int, shift: int
) -> bytearray:
    count = columns.count
    assert columns.key is not None
    assert columns.value is not None
    size = count * _FIXED[magic] + columns.key.ends[count] + columns.value.ends[count]
    target = bytearray(size)
    end = message_writing.write(
        messages, 0, count, magic, attributes, shift, crc32_tables(), target, 0
    )
    assert end == size, "columns do not change while they are written"
    return target


def write_batches(
    columns: RecordColumns, codec: Codec, *, append_time: bool = False, leader_epoch: int = -1
) -> bytearray:
    """Batches of magic 2 with the offsets of the columns: one, but for gaps in the offsets.

    `append_time`: the timestamps are the broker's, of which a batch has one.
    """
    assert columns.offsets is not None
    made = bytearray()
    table = _rows(columns)
    order = ascending("i", columns.count)
    sizes = array("i", bytes(4 * columns.count))
    for first, last in _runs(columns, append_time=append_time):
        state = array("q", bytes(24))
        count = batch_writing.sizes(table, order, first, last, _LARGEST, sizes, state)
        assert count == last - first, "what was one set is no larger than a batch can be"
        batch = bytearray(HEADER_SIZE + state[0])
        batch_writing.write(table, order, first, last, sizes, batch, HEADER_SIZE)
        if codec != Codec.NONE:
            packed = compress(codec, memoryview(batch)[HEADER_SIZE:], QUICK_LEVELS[codec])
            batch = bytearray(HEADER_SIZE) + packed
        attributes = codec | (LOG_APPEND_TIME if append_time else 0)
        finish(batch, attributes, count, (state[1], state[2]))
        batch[:8] = columns.offsets[first].to_bytes(8, "big", signed=True)
        batch[12:16] = leader_epoch.to_bytes(4, "big", signed=True)
        made += batch
    return made


def _runs(columns: RecordColumns, *, append_time: bool) -> list[tuple[int, int]]:
    """Where runs of records that can be one batch start and end."""
    offsets, times, count = columns.offsets, columns.timestamps, columns.count
    assert offsets is not None
    assert times is not None
    if not count:
        return []
    cuts: set[int] = set()
    if offsets[count - 1] - offsets[0] != count - 1:
        cuts.update(at for at in range(1, count) if offsets[at] != offsets[at - 1] + 1)
    if append_time:
        cuts.update(at for at in range(1, count) if times[at] != times[at - 1])
    return list(zip([0, *sorted(cuts)], [*sorted(cuts), count], strict=True))


def _rows(columns: RecordColumns) -> Rows:
    assert columns.timestamps is not None
    key, value, headers = _strings(columns.key), _strings(columns.value), columns.headers
    if headers is None or not headers.ends[columns.count]:
        return Rows(columns.timestamps, key, value, _NO_INTS, _NO_STRINGS, _NO_STRINGS)
    names, contents = _strings(headers.keys), _strings(headers.values)
    return Rows(columns.timestamps, key, value, headers.ends, names, contents)


def _strings(column: BytesColumn | None) -> Strings:
    return Strings(*_parts(column), 0)
