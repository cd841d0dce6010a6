"""Check a message set of Kafka 0.7 before it is appended.

Source: Kafka 0.7.2's Log.append and ByteBufferMessageSet.verifyMessageSize; seed 000 "Produce".
"""

from array import array

from barnabas.errors import CorruptRecord, ErrorCode
from barnabas.kernels import layout
from barnabas.kernels.messages import byte_messages
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking, produced_bytes_max
from barnabas.records.message_rows import crc32_tables
from barnabas.records.messages07.message07 import (
    MessageEntry,
    UnpackAllowance,
    count_inside,
    encode_set,
    entries,
    unpack,
)

_LENGTH = 4


def check_set(
    messages: memoryview, max_bytes: int, unpacking: Unpacking | None = None
) -> memoryview:
    """The whole messages of a set, to be stored as they are; one cut off at the end is left out.

    A compressed message with more messages in it than it has bytes is stored as these: no more have
    room for an offset of their own (see `from_message07`). A payload, compressed or not, may have
    `max_bytes`. `unpacking` is what the request may still unpack.

    Raises:
        RefusedRecords: CORRUPT_MESSAGE or MESSAGE_TOO_LARGE; nothing of the set is to be stored.
    """
    progress = array("q", (0, 0, 0))
    code = byte_messages.check(messages, crc32_tables(), max_bytes, progress)
    end, packed, size = progress
    if code > 0:
        raise RefusedRecords(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"a message has {size} bytes, the topic takes up to {max_bytes}",
        )
    if code < 0:
        what = f"message at byte {end}: {layout.WORDS[code]}"
        raise RefusedRecords(ErrorCode.CORRUPT_MESSAGE, what)
    if not end and len(messages) >= _LENGTH:
        raise RefusedRecords(ErrorCode.CORRUPT_MESSAGE, "the first message is cut off")
    if not packed:
        return messages[:end]
    try:
        return _opened(messages[:end], unpacking or Unpacking())
    except CorruptRecord as error:
        raise RefusedRecords(ErrorCode.CORRUPT_MESSAGE, str(error)) from error


def _opened(messages: memoryview, unpacking: Unpacking) -> memoryview:
    """The messages after decompression."""
    unpacking.check()
    limit = produced_bytes_max(len(messages))
    room = UnpackAllowance(limit)
    parts: list[memoryview] = []
    done = 0
    try:
        for entry in entries(messages, check_crcs=False):
            flat = _flattened(messages, entry, room) if entry.codec else None
            if flat is not None:
                parts += (messages[done : entry.start], flat)
                done = entry.end
    except CorruptRecord:
        unpacking.failed(len(messages), limit)
        raise
    unpacking.took(len(messages), limit - room.size)
    return memoryview(b"".join([*parts, messages[done:]])) if parts else messages


def _flattened(
    messages: memoryview, entry: MessageEntry, room: UnpackAllowance
) -> memoryview | None:
    """The messages to store in place of a compressed one; None to keep that one."""
    payload, size = messages[entry.payload : entry.end], room.size
    if count_inside(entry.codec, payload, room) <= entry.end - entry.start:
        return None
    inner = unpack(entry.codec, payload, UnpackAllowance(size))
    return memoryview(encode_set([one.payload for one in inner]))
