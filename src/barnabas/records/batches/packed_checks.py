"""Check the compressed records of a produced batch as thoroughly as uncompressed ones.

They are unpacked into a buffer that is used again, so that most batches cost their decompression and
no memory. Source: Kafka's LogValidator.validateMessagesAndAssignOffsetsCompressed.
"""

from barnabas.errors import CorruptRecord, DecodeError, ErrorCode
from barnabas.records.batches.batch import HEADER_SIZE, BatchHeader, walk
from barnabas.records.batches.newest_time import newest_time
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking, produced_bytes_max, usual_bytes_max
from barnabas.records.codecs.compression import (
    HIGHEST_CODEC,
    Codec,
    UnpackedTooLarge,
    decompress,
    decompress_into,
    stated_size,
)
from barnabas.records.codecs.lz4_blocks import unlike_kafka
from barnabas.types import Buffer

_ROOM = 1 << 20
"""Bytes that most batches unpack to at most."""
_SMALLEST_GUESS, _FIRST_GUESS, _NEXT_GUESS = 1024, 16, 128
"""Buffer sizes to try if data does not declare its size: bytes, or multiples of the compressed size."""
_TODAY = 2
_rooms: list[memoryview] = []
"""Unused buffers of that size: one for each thread with a broker."""


def newest_of_packed(buffer: Buffer, header: BatchHeader, unpacking: Unpacking) -> int:
    """The largest timestamp of the records of a compressed batch, decompressed to `buffer`; -1 for none.

    Raises:
        RefusedRecords: INVALID_RECORD if they contradict the header; as in Kafka
            UNKNOWN_SERVER_ERROR if they cannot be decompressed, which clients do not retry;
            MESSAGE_TOO_LARGE if they are too many bytes.
    """
    unpacking.check()
    packed = memoryview(buffer)[HEADER_SIZE:]
    limit = produced_bytes_max(len(packed))
    room = _rooms.pop() if _rooms else memoryview(bytearray(_ROOM))
    try:
        records = _unpacked(header.codec, packed, limit, room)
        unpacking.took(len(packed), len(records))
        return newest_time(records, 0, len(records), header)
    except UnpackedTooLarge as error:
        unpacking.failed(len(packed), limit)
        raise RefusedRecords(ErrorCode.MESSAGE_TOO_LARGE, str(error)) from error
    except CorruptRecord as error:
        unpacking.failed(len(packed), limit)
        raise RefusedRecords(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from error
    finally:
        _rooms.append(room)


def unpacks_to_much(buffer: Buffer) -> bool:
    """Whether records decompress to unusually much for their size, or cannot be decompressed.

    It decompresses no more than the usual size. Compressed messages of old formats always count as much.
    """
    try:
        return any(_is_much(memoryview(buffer), header) for header in walk(buffer) if header.codec)
    except DecodeError:
        return False
    except CorruptRecord:
        return True


def packed_bytes(buffer: Buffer) -> int:
    """The bytes of the compressed batches among records; 0 where these are no batches."""
    try:
        return sum(header.size for header in walk(buffer) if header.codec)
    except DecodeError:
        return 0


def _is_much(buffer: memoryview, header: BatchHeader) -> bool:
    if header.magic < _TODAY or header.codec > HIGHEST_CODEC:
        return header.magic < _TODAY
    end = header.position + header.size
    packed = buffer[header.position + HEADER_SIZE : end]
    most = usual_bytes_max(len(packed))
    if stated_size(header.codec, packed) > most:
        return True
    room = _rooms.pop() if _rooms else memoryview(bytearray(_ROOM))
    try:
        target = room if most <= len(room) else memoryview(bytearray(most))
        return decompress_into(header.codec, packed, target[:most]) < 0
    finally:
        _rooms.append(room)


def _unpacked(codec: int, packed: memoryview, limit: int, room: memoryview) -> memoryview:
    """The records, in `room` if they fit."""
    if codec == Codec.LZ4 and (why := unlike_kafka(packed)):
        raise CorruptRecord(f"Kafka's consumers cannot read this lz4: {why}")
    stated = stated_size(codec, packed)
    if stated > limit:
        words = f"{Codec(codec).name.lower()} states {stated} bytes, more than {limit}"
        raise UnpackedTooLarge(words)
    # No more room than is needed: some decoders clear all of it first.
    expected = stated or max(_SMALLEST_GUESS, _FIRST_GUESS * len(packed))
    if expected <= len(room):
        size = decompress_into(codec, packed, room[:expected])
        if size >= 0:
            return room[:size]
    return memoryview(decompress(codec, packed, limit, _NEXT_GUESS * len(packed)))
