"""DeleteRecords (key 21): move the first offset of partitions up (KIP-107).

Does: offset -1 is the high watermark; refuses topics that are only compacted. In a log of Kafka
    0.7's format an offset inside a message stands for where that message begins: 0.7 clients start
    to read at the first offset, and all that was to be kept is.
Ignores: `timeout_ms`: there are no followers to wait for.
Versions: 2 flexible
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.protocol.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

_HIGH_WATERMARK = -1
_COMPACTED_ONLY = frozenset({"compact"})
_NOTHING = -1


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: DeleteRecordsRequest
) -> Steps[DeleteRecordsResponse]:
    """Delete in each partition that allows it."""
    del context
    results = []
    for topic in request.topics:
        partitions = yield from grown(topic.partitions, partial(_delete, broker, topic.name))
        results.append(DeleteRecordsTopicResult(name=topic.name, partitions=partitions))
    return DeleteRecordsResponse(topics=results)


def _delete(
    broker: Broker, topic: str, asked: DeleteRecordsPartition
) -> DeleteRecordsPartitionResult:
    index = asked.partition_index
    code, start = _moved(broker, topic, index, asked.offset)
    return DeleteRecordsPartitionResult(partition_index=index, low_watermark=start, error_code=code)


def _moved(broker: Broker, topic: str, index: int, offset: int) -> tuple[ErrorCode, int]:
    """The outcome, and the first offset that there is now."""
    if topic in INTERNAL_TOPICS:
        return ErrorCode.INVALID_TOPIC_EXCEPTION, _NOTHING
    partition = broker.replicas.find(topic, index)
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, _NOTHING
    log, role = partition.log, partition.role
    if log.failure is not None or (role is not None and not role.leads):
        failed = log.failure is not None
        code = ErrorCode.KAFKA_STORAGE_ERROR if failed else ErrorCode.NOT_LEADER_OR_FOLLOWER
        return code, _NOTHING
    if log.config.cleanup_policy == _COMPACTED_ONLY:
        return ErrorCode.POLICY_VIOLATION, _NOTHING
    target = log.high_watermark if offset == _HIGH_WATERMARK else offset
    if not 0 <= target <= log.high_watermark:
        return ErrorCode.OFFSET_OUT_OF_RANGE, _NOTHING
    return _started_at(log, target)


def _started_at(log: PartitionLog, target: int) -> tuple[ErrorCode, int]:
    """Let a log start where nothing from `target` on is lost."""
    if log.config.byte_positions:
        # Imported late: most brokers have no such topic.
        from barnabas.log.partition.byte_reading import message_start

        try:
            target = message_start(log, target)
        except StorageError:
            return ErrorCode.KAFKA_STORAGE_ERROR, _NOTHING
    log.delete_before(target)
    return ErrorCode.NONE, log.start_offset
