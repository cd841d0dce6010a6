"""AlterReplicaLogDirs (key 34): move replicas to another log directory of this broker (KIP-113).

Does: begins a move, ends one where the replica is wanted where it is, and where a member of a cluster has no
    log yet, remembers the directory for it (REPLICA_NOT_AVAILABLE). DescribeLogDirs shows how far a move is.
Refuses: logs of Kafka 0.7's format, with POLICY_VIOLATION: they stay in the directory they were made in.
Versions: 2 flexible
"""

from collections import defaultdict
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, each, grown, in_steps_while_connected
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from barnabas.types import TopicPartition


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: AlterReplicaLogDirsRequest
) -> Steps[AlterReplicaLogDirsResponse]:
    """Answer for each partition."""
    del context
    rows: dict[str, list[AlterReplicaLogDirPartitionResult]] = defaultdict(list)
    for target in request.dirs:
        yield
        for topic in target.topics:
            row = partial(_row, broker, target.path, topic.name)
            rows[topic.name] += yield from each(topic.partitions, row)
    results = yield from grown(rows.items(), _result)
    return AlterReplicaLogDirsResponse(results=results)


def _result(
    found: tuple[str, list[AlterReplicaLogDirPartitionResult]],
) -> AlterReplicaLogDirTopicResult:
    name, rows = found
    return AlterReplicaLogDirTopicResult(topic_name=name, partitions=rows)


def _row(broker: Broker, path: str, name: str, index: int) -> AlterReplicaLogDirPartitionResult:
    code = ErrorCode.NONE
    try:
        _move(broker, path, TopicPartition(name, index))
    except KafkaError as error:
        code = error.code
    return AlterReplicaLogDirPartitionResult(partition_index=index, error_code=code)


def _move(broker: Broker, path: str, partition: TopicPartition) -> None:
    futures = broker.logs.futures
    futures.directory_at(path)
    if broker.logs.get(partition) is not None:
        broker.log_moves.begin(partition, path)
        return
    topic = broker.topics.get(partition.topic) if broker.topics.are_shared else None
    if topic is None or partition.partition not in topic.partitions:
        what = f"there is no partition {partition.topic}-{partition.partition}"
        raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what)
    futures.prefer(partition, path)
    what = f"{partition.topic}-{partition.partition} has no replica here"
    raise BrokerError(ErrorCode.REPLICA_NOT_AVAILABLE, what)
