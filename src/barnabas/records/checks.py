"""What must hold before a broker appends what a producer sent. Offsets and sequences are the log's.

Source: Kafka's ProduceRequest.validateRecords, UnifiedLog.analyzeAndValidateRecords, LogValidator.
"""

from array import array
from struct import error
from typing import NoReturn

from barnabas.errors import DecodeError, ErrorCode
from barnabas.kernels import batches, layout
from barnabas.records.batch import (
    CODEC_MASK,
    CONTROL,
    CRC_FROM,
    HEADER,
    HEADER_SIZE,
    MAGIC_AT,
    PREFIX_SIZE,
    BatchHeader,
    read_header,
)
from barnabas.records.checksums import crc32c
from barnabas.records.compression import HIGHEST_CODEC
from barnabas.records.refused import RefusedRecords
from barnabas.types import Buffer

_unpack = HEADER.unpack_from
_new_header = tuple.__new__
_UNREAD = array("q", bytes(8 * layout.STATE))
"""State of the first look at a batch, whose details nobody reads."""


def check_produced(buffer: Buffer, max_bytes: int) -> BatchHeader:
    """Check the records of one partition of a Produce request: one whole batch, fit to be appended.

    Records of an uncompressed batch are gone through one by one; compressed ones are taken on the
    word of the batch's CRC, and consumers check them as they do all records.

    Raises:
        RefusedRecords: with the code that Kafka answers, and the words for the response.
    """
    # All conditions at once, because this is the hot path; `_refuse` finds out which one failed.
    try:
        row = _unpack(buffer)
    except error:
        _refuse(buffer, max_bytes)
    base, length, epoch, magic, crc, attributes, delta, first, newest, *producer, count = row
    size = length + PREFIX_SIZE
    codec = attributes & CODEC_MASK
    if (
        magic != 2
        or size != len(buffer)
        or size > max_bytes
        or base
        or count < 1
        or count != delta + 1
        or attributes & CONTROL
        or codec > HIGHEST_CODEC
        or (producer[0] >= 0 and (producer[1] < 0 or producer[2] < 0))
        or crc32c(memoryview(buffer)[CRC_FROM:]) != crc
    ):
        _refuse(buffer, max_bytes)
    if not codec and batches.check(buffer, HEADER_SIZE, size, count, _UNREAD) < 0:
        _refuse_records(buffer, size, count)
    return _new_header(
        BatchHeader,
        (0, size, base, epoch, magic, crc, attributes, delta, first, newest, *producer, count),
    )


def _refuse(buffer: Buffer, max_bytes: int) -> NoReturn:
    """Say what is wrong with a batch; of several things what Kafka finds first."""
    header = _read_only_batch(buffer)
    if header.size > max_bytes:
        raise RefusedRecords(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"the batch has {header.size} bytes, the topic takes up to {max_bytes}",
        )
    if crc32c(memoryview(buffer)[CRC_FROM:]) == header.crc:
        _refuse_header(header)
    raise RefusedRecords(ErrorCode.CORRUPT_MESSAGE, "the batch does not have the CRC it states")


def _refuse_records(buffer: Buffer, size: int, count: int) -> NoReturn:
    """Name the record that is not what it should be."""
    state = array("q", bytes(8 * layout.STATE))
    result = batches.check(buffer, HEADER_SIZE, size, count, state)
    record = state[layout.AT_RECORD]
    words = f"record {record}: {layout.WORDS[result]}"
    raise RefusedRecords(ErrorCode.INVALID_RECORD, words, record)


def _read_only_batch(buffer: Buffer) -> BatchHeader:
    """The header of the only batch in `buffer`."""
    size = len(buffer)
    if size > MAGIC_AT and buffer[MAGIC_AT] in (0, 1):
        raise RefusedRecords(
            ErrorCode.INVALID_RECORD, f"magic {buffer[MAGIC_AT]} is too old for this request"
        )
    try:
        header = read_header(buffer)
    except DecodeError as error:
        # What is not there whole is no batch for Kafka, and a set without a batch is invalid.
        whole = size >= HEADER_SIZE
        code = ErrorCode.CORRUPT_MESSAGE if whole else ErrorCode.INVALID_RECORD
        raise RefusedRecords(code, str(error)) from error
    if header.size > size:
        raise RefusedRecords(
            ErrorCode.INVALID_RECORD, f"a batch of {header.size} bytes in {size} bytes of records"
        )
    if header.size < size:
        raise RefusedRecords(ErrorCode.INVALID_RECORD, "more than one batch for a partition")
    return header


def _refuse_header(header: BatchHeader) -> NoReturn:
    """Say what a producer may not put in the header of a batch."""
    count = header.count
    if count < 1 or count != header.last_offset_delta + 1:
        problem = f"{count} records with a last offset delta of {header.last_offset_delta}"
    elif header.base_offset != 0:
        problem = f"the base offset is {header.base_offset}; producers send 0"
    elif header.attributes & CONTROL:
        problem = "clients may not write control records"
    elif header.producer_id >= 0 and (header.base_sequence < 0 or header.producer_epoch < 0):
        problem = f"producer {header.producer_id} without a sequence or epoch"
    else:
        raise RefusedRecords(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"nobody knows codec {header.codec}"
        )
    raise RefusedRecords(ErrorCode.INVALID_RECORD, problem)
