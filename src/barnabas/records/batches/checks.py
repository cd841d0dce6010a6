"""Check a produced batch before it is appended. Offsets and sequences are checked by the log.

Source: Kafka's ProduceRequest.validateRecords, UnifiedLog.analyzeAndValidateRecords, LogValidator.
"""

from barnabas.errors import DecodeError, ErrorCode
from barnabas.kernels.batches import producing
from barnabas.records.batches.batch import (
    CODEC_MASK,
    CONTROL,
    CRC_FROM,
    HEADER_SIZE,
    MAGIC_AT,
    BatchHeader,
    read_header,
    stamp_newest,
)
from barnabas.records.batches.newest_time import newest_time
from barnabas.records.batches.packed_checks import newest_of_packed
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import HIGHEST_CODEC
from barnabas.types import Buffer, new_tuple

_produced = producing.produced
_SUMMED = producing.summed()
"""Bytes of a batch up to which the kernel looks at its CRC."""
_ATTRIBUTES = BatchHeader._fields.index("attributes")


def check_produced(
    buffer: memoryview, max_bytes: int, unpacking: Unpacking | None = None
) -> BatchHeader:
    """Check the records of one partition of a Produce request: one whole batch, fit to be appended.

    It checks every record, and decompresses compressed ones first. If the header states a wrong
    maximum timestamp, or log append time, it is corrected in place, as by Kafka. `unpacking`: what
    the request may still decompress.

    Raises:
        RefusedRecords: with Kafka's error code, and the message for the response.
    """
    # One kernel call, because this is the hot path; `_look_closer` finds the error.
    row = _produced(buffer, max_bytes)
    if row is None or (row[1] > _SUMMED and crc32c(memoryview(buffer)[CRC_FROM:]) != row[5]):
        return _look_closer(buffer, max_bytes, unpacking or Unpacking())
    header = new_tuple(BatchHeader, row)
    if row[_ATTRIBUTES] & CODEC_MASK:
        newest = newest_of_packed(buffer, header, unpacking or Unpacking())
        return header if newest == header.max_timestamp else stamp_newest(buffer, header, newest)
    return header


def _look_closer(buffer: memoryview, max_bytes: int, unpacking: Unpacking) -> BatchHeader:
    """Repair a batch or report its error; of several, the one that Kafka finds first."""
    header = _read_only_batch(buffer)
    if header.size > max_bytes:
        raise RefusedRecords(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"the batch has {header.size} bytes, the topic takes up to {max_bytes}",
        )
    if crc32c(memoryview(buffer)[CRC_FROM:]) != header.crc:
        raise RefusedRecords(ErrorCode.CORRUPT_MESSAGE, "the batch does not have the CRC it states")
    _refuse_header(header)
    if header.codec:
        newest = newest_of_packed(buffer, header, unpacking)
    else:
        newest = newest_time(buffer, HEADER_SIZE, header.size, header)
    # If the header says that the broker set the time, all records have that one.
    return stamp_newest(buffer, header, header.max_timestamp if header.log_append_time else newest)


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
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"unknown codec {header.codec}"
        )
    else:
        return
    raise RefusedRecords(ErrorCode.INVALID_RECORD, problem)
