"""Append messages of Kafka 0.7 to a log that stores them unchanged."""

from barnabas.broker.replicas.append_errors import not_stored, refusal, refused
from barnabas.broker.replicas.partition import Partition
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.partition import byte_appending
from barnabas.protocol.produce import PartitionProduceResponse
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking
from barnabas.records.messages07.check07 import check_set
from barnabas.types import NO_TIMESTAMP


def append_messages(
    partition: Partition,
    messages: memoryview,
    now_ms: int,
    unpacking: Unpacking | None = None,
    *,
    rolls: bool = True,
) -> PartitionProduceResponse:
    """As `Partition.append`, for messages of Kafka 0.7; without `rolls` a segment may grow too long or old."""
    log = partition.log
    if not log.config.byte_positions:
        code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return refused(partition.index, code, "its offsets are no byte positions")
    try:
        kept = check_set(messages, log.config.max_message_bytes, unpacking)
        info = byte_appending.append_messages(log, kept, now_ms=now_ms, rolls=rolls)
    except RefusedRecords as reason:
        return refusal(partition.index, reason, log.start_offset)
    except StorageError as error:
        return not_stored(partition.index, error)
    partition.queued_bytes += len(kept)
    return partition.appended(info.base_offset, NO_TIMESTAMP, info.log_start_offset)
