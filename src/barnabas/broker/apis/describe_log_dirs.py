"""DescribeLogDirs (key 35): the log directories, what is in them, and how full their volumes are.

Does: all partitions, or the requested ones: missing ones are left out, as in Kafka. Of a replica that
    moves to another directory, that one has a row, too: how far it is behind (KIP-113).
Ignores: nothing.
Versions: 3 an error for all · 4 sizes of volumes (KIP-827) · 5 cordoned directories: none is (KIP-1066)
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import (
    Steps,
    each,
    grown,
    grown_in_steps,
    in_steps_while_connected,
)
from barnabas.errors import ErrorCode, StorageError
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.protocol.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from barnabas.types import TopicPartition


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeLogDirsRequest
) -> Steps[DescribeLogDirsResponse]:
    """Describe each directory, also those without any of the partitions."""
    del context
    wanted = None
    if request.topics is not None:
        wanted = yield from _wanted(request.topics)
    results = []
    for path, logs in broker.logs.by_directory().items():
        rows = [_Row(log, 0, is_future=False) for log in logs]
        futures = broker.logs.futures
        rows += [
            _Row(log, futures.lag(log.topic_partition), is_future=True)
            for log in futures.in_directory(path)
        ]
        asked = [row for row in rows if wanted is None or row.log.topic_partition in wanted]
        result = yield from _directory(broker, path, asked)
        results.append(result)
    return DescribeLogDirsResponse(results=results)


class _Row(NamedTuple):
    """A log, and how many offsets it is behind."""

    log: PartitionLog
    lag: int
    is_future: bool


def _wanted(topics: Iterable[DescribableLogDirTopic]) -> Steps[set[TopicPartition]]:
    wanted: set[TopicPartition] = set()
    for topic in topics:
        yield
        wanted.update((yield from each(topic.partitions, partial(TopicPartition, topic.topic))))
    return wanted


def _directory(broker: Broker, path: str, rows: Sequence[_Row]) -> Steps[DescribeLogDirsResult]:
    try:
        total, usable = broker.logs.space(path)
    except StorageError:
        return DescribeLogDirsResult(
            error_code=ErrorCode.KAFKA_STORAGE_ERROR, log_dir=path, topics=[]
        )
    by_topic: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        by_topic[row.log.topic_partition.topic].append(row)
        yield
    topics = yield from grown_in_steps(by_topic.items(), _topic)
    return DescribeLogDirsResult(
        error_code=ErrorCode.NONE,
        log_dir=path,
        topics=topics,
        total_bytes=total,
        usable_bytes=usable,
    )


def _topic(found: tuple[str, Sequence[_Row]]) -> Steps[DescribeLogDirsTopic]:
    name, rows = found
    partitions = yield from grown(rows, _partition)
    return DescribeLogDirsTopic(name=name, partitions=partitions)


def _partition(row: _Row) -> DescribeLogDirsPartition:
    return DescribeLogDirsPartition(
        partition_index=row.log.topic_partition.partition,
        partition_size=row.log.size,
        offset_lag=row.lag,
        is_future_key=row.is_future,
    )
