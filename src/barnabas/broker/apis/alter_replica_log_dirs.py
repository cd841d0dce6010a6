"""AlterReplicaLogDirs (key 34): move replicas to another log directory of this broker (KIP-113).

Does: says that a replica is where it is wanted, or why it cannot be.
Refuses: a move to another directory, with POLICY_VIOLATION: logs stay in the directory they were
    made in. Stop the broker and move the partition's directory to move a log.
Versions: 2 flexible
"""

from collections import defaultdict
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, each, grown, in_steps_while_heard
from barnabas.errors import ErrorCode
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.protocol.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from barnabas.types import TopicPartition

_Places = dict[str, dict[TopicPartition, PartitionLog]]


@in_steps_while_heard
def handle(
    broker: Broker, context: RequestContext, request: AlterReplicaLogDirsRequest
) -> Steps[AlterReplicaLogDirsResponse]:
    """Answer for each partition."""
    del context
    places: _Places = {
        path: {log.topic_partition: log for log in logs}
        for path, logs in broker.logs.by_directory().items()
    }
    rows: dict[str, list[AlterReplicaLogDirPartitionResult]] = defaultdict(list)
    for target in request.dirs:
        yield
        for topic in target.topics:
            row = partial(_row, places, target.path, topic.name)
            rows[topic.name] += yield from each(topic.partitions, row)
    results = yield from grown(rows.items(), _result)
    return AlterReplicaLogDirsResponse(results=results)


def _result(
    found: tuple[str, list[AlterReplicaLogDirPartitionResult]],
) -> AlterReplicaLogDirTopicResult:
    name, rows = found
    return AlterReplicaLogDirTopicResult(topic_name=name, partitions=rows)


def _row(places: _Places, path: str, name: str, index: int) -> AlterReplicaLogDirPartitionResult:
    code = _code(places, path, TopicPartition(name, index))
    return AlterReplicaLogDirPartitionResult(partition_index=index, error_code=code)


def _code(places: _Places, path: str, partition: TopicPartition) -> ErrorCode:
    if path not in places:
        return ErrorCode.LOG_DIR_NOT_FOUND
    log = next((logs[partition] for logs in places.values() if partition in logs), None)
    if log is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if log.failure is not None:
        return ErrorCode.KAFKA_STORAGE_ERROR
    return ErrorCode.NONE if partition in places[path] else ErrorCode.POLICY_VIOLATION
