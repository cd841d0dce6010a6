"""The responses of a partition that refuses records."""

from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.produce import BatchIndexAndErrorMessage, PartitionProduceResponse
from barnabas.records.batches.batch import CODEC_MASK, HEADER_SIZE, MAGIC_AT
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.codecs.compression import HIGHEST_CODEC, Codec

_MAGIC = 2
_CODEC_AT = 22


def refused(index: int, code: ErrorCode, message: str | None = None) -> PartitionProduceResponse:
    """The response that refuses records for the partition `index`."""
    return PartitionProduceResponse(
        index=index, error_code=code, base_offset=-1, error_message=message
    )


def no_records(index: int) -> PartitionProduceResponse:
    """A null in place of records."""
    return refused(index, ErrorCode.INVALID_RECORD, "there are no records")


def unknown_codec(index: int) -> PartitionProduceResponse:
    """A codec that is newer than the version of the request, as zstd may be (KIP-110)."""
    message = "this version of Produce does not know the codec"
    return refused(index, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, message)


def transactional(index: int) -> PartitionProduceResponse:
    """Records of a transaction in a request that names none."""
    message = "records of a transaction need a transactional id in the request"
    return refused(index, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, message)


def old_format(index: int) -> PartitionProduceResponse:
    """Records of a transaction for a topic of an old format."""
    message = "the topic's record format has no place for transactions"
    return refused(index, ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, message)


def internal(index: int) -> PartitionProduceResponse:
    """Records of a client for a topic of coordinators."""
    message = "only coordinators write into this topic"
    return refused(index, ErrorCode.INVALID_TOPIC_EXCEPTION, message)


def not_stored(index: int, error: StorageError) -> PartitionProduceResponse:
    """The log cannot be written."""
    return refused(index, ErrorCode.KAFKA_STORAGE_ERROR, str(error))


def refusal(index: int, records: RefusedRecords, log_start_offset: int) -> PartitionProduceResponse:
    """The answer about records that a log or its checks refuse."""
    answer = refused(index, records.code, records.detail)
    answer.log_start_offset = log_start_offset
    answer.record_errors = [
        BatchIndexAndErrorMessage(batch_index=number, batch_index_error_message=detail)
        for number, detail in records.records
    ]
    return answer


def codec_of(records: memoryview) -> int:
    """The codec of a batch of magic 2; NONE for anything else, which later checks refuse."""
    if len(records) < HEADER_SIZE or records[MAGIC_AT] != _MAGIC:
        return Codec.NONE
    codec = records[_CODEC_AT] & CODEC_MASK
    return codec if codec <= HIGHEST_CODEC else Codec.NONE
