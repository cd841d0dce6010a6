"""What must hold before a broker appends what a producer sent. Offsets and sequences are the log's.

Source: Kafka's ProduceRequest.validateRecords, UnifiedLog.analyzeAndValidateRecords, LogValidator.
"""

from typing import NoReturn

from barnabas.errors import DecodeError, ErrorCode
from barnabas.kernels import layout, producing
from barnabas.records.batch import (
    CONTROL,
    CRC_FROM,
    HEADER_SIZE,
    MAGIC_AT,
    BatchHeader,
    read_header,
)
from barnabas.records.checksums import crc32c
from barnabas.records.compression import HIGHEST_CODEC
from barnabas.records.refused import RefusedRecords
from barnabas.types import Buffer

_produced = producing.produced
_new_header = tuple.__new__
_SUMMED = producing.summed()
"""Bytes of a batch up to which the kernel looks at its CRC."""


def check_produced(buffer: Buffer, max_bytes: int) -> BatchHeader:
    """Check the records of one partition of a Produce request: one whole batch, fit to be appended.

    Records of an uncompressed batch are gone through one by one; compressed ones are taken on the
    word of the batch's CRC, and consumers check them as they do all records.

    Raises:
        RefusedRecords: with the code that Kafka answers, and the words for the response.
    """
    # One call of the kernel, because this is the hot path; `_refuse` finds out what is wrong.
    row = _produced(buffer, max_bytes)
    if row is None or (row[1] > _SUMMED and crc32c(memoryview(buffer)[CRC_FROM:]) != row[5]):
        _refuse(buffer, max_bytes)
    # Twice as fast as calling the class.
    return _new_header(BatchHeader, row)


def _refuse(buffer: Buffer, max_bytes: int) -> NoReturn:
    """Say what is wrong with a batch; of several things what Kafka finds first."""
    header = _read_only_batch(buffer)
    if header.size > max_bytes:
        raise RefusedRecords(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"the batch has {header.size} bytes, the topic takes up to {max_bytes}",
        )
    if crc32c(memoryview(buffer)[CRC_FROM:]) != header.crc:
        raise RefusedRecords(ErrorCode.CORRUPT_MESSAGE, "the batch does not have the CRC it states")
    _refuse_header(header)
    result, record = producing.check(buffer, HEADER_SIZE, header.size, header.count)
    words = f"record {record}: {layout.WORDS[result]}"
    raise RefusedRecords(ErrorCode.INVALID_RECORD, words, [(record, words)])


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


def _refuse_header(header: BatchHeader) -> None:
    """Say what a producer may not put in the header of a batch, if it is in this one."""
    count = header.count
    if count < 1 or count != header.last_offset_delta + 1:
        problem = f"{count} records with a last offset delta of {header.last_offset_delta}"
    elif header.base_offset != 0:
        problem = f"the base offset is {header.base_offset}; producers send 0"
    elif header.attributes & CONTROL:
        problem = "clients may not write control records"
    elif header.producer_id >= 0 and (header.base_sequence < 0 or header.producer_epoch < 0):
        problem = f"producer {header.producer_id} without a sequence or epoch"
    elif header.codec > HIGHEST_CODEC:
        raise RefusedRecords(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"nobody knows codec {header.codec}"
        )
    else:
        return
    raise RefusedRecords(ErrorCode.INVALID_RECORD, problem)
