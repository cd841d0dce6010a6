"""Offset lookups of ListOffsets in one partition. Nothing is tiered: the local log is the whole log."""

from barnabas.broker.replicas.partition import Partition
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.partition.last_stable_offset import stable_end
from barnabas.log.partition.segment_offsets import offsets_by_segment
from barnabas.protocol.list_offsets import ListOffsetsPartition, ListOffsetsPartitionResponse
from barnabas.records.batches.refused_records import RefusedRecords
from barnabas.records.batches.unpacking import Unpacking
from barnabas.wire.schema import maker

_NONE = ErrorCode.NONE
_OF_START = frozenset({-2, -4})
_answer = maker(ListOffsetsPartitionResponse)


def find_offset(
    partition: Partition,
    asked: ListOffsetsPartition,
    *,
    committed_only: bool = False,
    of_replica: bool = False,
    unpacking: Unpacking | None = None,
) -> ListOffsetsPartitionResponse:
    """The offset at a timestamp (ms), or at one of Kafka's negative codes.

    `of_replica`: a follower asks; for followers the log ends with the last written record.
    """
    code = partition.check_epoch(asked.current_leader_epoch)
    is_behind = partition.role is not None and not partition.role.knows_committed_end
    if is_behind and not (code or of_replica or asked.timestamp in _OF_START):
        code = ErrorCode.OFFSET_NOT_AVAILABLE
    if code:
        return found(partition.index, code)
    log = partition.log
    try:
        match asked.timestamp:
            case -1:
                end = stable_end(log) if committed_only else log.high_watermark
                end = log.written_end if of_replica else end
                return found(partition.index, _NONE, -1, end, partition.leader_epoch)
            case -2 | -4:
                start, epoch = log.start_offset, _epoch_of_start(partition)
                return found(partition.index, _NONE, -1, start, epoch)
            case -3:
                timeless = log.config.byte_positions  # As messages of Kafka 0.7 are.
                at = None if timeless else log.offset_of_max_timestamp(unpacking)
            case -5 | -6:
                at = None
            case timestamp:
                if log.config.magic < 1:
                    code = ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT
                at = None if code else log.offset_for_timestamp(timestamp, unpacking)
    except (RefusedRecords, StorageError) as error:
        refused = isinstance(error, RefusedRecords)
        return found(partition.index, error.code if refused else ErrorCode.KAFKA_STORAGE_ERROR)
    is_hidden = at is not None and partition.role is not None and at.offset >= log.high_watermark
    if at is None or is_hidden or (committed_only and at.offset >= stable_end(log)):
        return found(partition.index, code)
    return found(partition.index, _NONE, at.timestamp, at.offset, at.leader_epoch)


def find_by_segment(
    partition: Partition, asked: ListOffsetsPartition, now_ms: int | None
) -> ListOffsetsPartitionResponse:
    """Up to `max_num_offsets` of segments, greatest first; see `offsets_by_segment`."""
    most = asked.max_num_offsets
    try:
        offsets = offsets_by_segment(partition.log, asked.timestamp, most, now_ms)
    except StorageError:
        return found(partition.index, ErrorCode.KAFKA_STORAGE_ERROR)
    answer = found(partition.index, _NONE)
    answer.old_style_offsets = list(offsets)
    return answer


def found(
    index: int, code: ErrorCode, timestamp: int = -1, offset: int = -1, leader_epoch: int = -1
) -> ListOffsetsPartitionResponse:
    """The answer for the partition `index`; offset -1 where nothing is that late."""
    return _answer(
        partition_index=index,
        error_code=code,
        timestamp=timestamp,
        offset=offset,
        leader_epoch=leader_epoch,
    )


def _epoch_of_start(partition: Partition) -> int:
    """The leader epoch that wrote the first record, or would write it."""
    log = partition.log
    epoch = log.epochs.at(log.start_offset)
    return partition.leader_epoch if epoch < 0 else epoch
