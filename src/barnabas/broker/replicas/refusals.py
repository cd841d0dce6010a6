"""What a partition answers about records that it does not take."""

from barnabas.dialects.commands import Appended, RecordError
from barnabas.errors import ErrorCode
from barnabas.records.batches.batch import CODEC_MASK, HEADER_SIZE
from barnabas.records.batches.refused import RefusedRecords
from barnabas.records.codecs.compression import Codec

_CODEC_AT = 22
UNKNOWN_CODEC = Appended(
    ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, message="this version of Produce does not know zstd"
)
TRANSACTIONAL = Appended(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    message="records of a transaction need a transactional id in the request",
)
OLD_FORMAT = Appended(
    ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
    message="the topic's record format has no place for transactions",
)
INTERNAL = Appended(
    ErrorCode.INVALID_TOPIC_EXCEPTION, message="only coordinators write into this topic"
)
NO_RECORDS = Appended(ErrorCode.INVALID_RECORD, message="there are no records")


def is_of_zstd(batch: memoryview) -> bool:
    """Whether what may be a batch says that it is compressed by zstd."""
    return len(batch) >= HEADER_SIZE and batch[_CODEC_AT] & CODEC_MASK == Codec.ZSTD


def refusal(refused: RefusedRecords, log_start_offset: int) -> Appended:
    """The answer about records that a log or its checks refuse."""
    errors = [RecordError(index, detail) for index, detail in refused.records]
    return Appended(
        refused.code,
        log_start_offset=log_start_offset,
        record_errors=errors,
        message=refused.detail,
    )
