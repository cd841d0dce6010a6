"""DescribeTopicPartitions (key 75): topics with their partitions, a page at a time (KIP-966).

Does: some topics or all, by name in order, from a cursor on; at most as many partitions as the client
    and this broker allow.
Ignores: nothing. There are no replicas that are out of sync, so none wait to be elected.
"""

from collections.abc import Iterator

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.broker.requests.authorized_operations import NOT_ASKED, ON_TOPICS
from barnabas.broker.requests.partition_view import view
from barnabas.broker.topics.topic_names import problem_of_name
from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from barnabas.types import Topic
from barnabas.wire.schema import NO_UUID

_MOST_PARTITIONS = 2000
"""Kafka's max.request.partition.size.limit."""


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeTopicPartitionsRequest
) -> Steps[DescribeTopicPartitionsResponse]:
    """One page, and where the next one begins."""
    del context
    cursor = request.cursor
    if cursor is not None and not _is_possible(cursor, request):
        refused = [_missing(one.name, ErrorCode.INVALID_REQUEST) for one in request.topics]
        return DescribeTopicPartitionsResponse(topics=refused)
    left = max(1, min(_MOST_PARTITIONS, request.response_partition_limit))
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    for name in _names(broker, request):
        yield
        first = cursor.partition_index if cursor and cursor.topic_name == name else 0
        topic = broker.topics.get(name)
        if topic is None:
            code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            if problem_of_name(name):
                code = ErrorCode.INVALID_TOPIC_EXCEPTION
            topics.append(_missing(name, code, ON_TOPICS))
            continue
        if left == 0:
            following = Cursor(topic_name=name, partition_index=first)
            return DescribeTopicPartitionsResponse(topics=topics, next_cursor=following)
        wanted = [index for index in sorted(topic.partitions) if index >= first]
        topics.append(_described(broker, topic, wanted[:left]))
        if len(wanted) > left:
            following = Cursor(topic_name=name, partition_index=wanted[left])
            return DescribeTopicPartitionsResponse(topics=topics, next_cursor=following)
        left -= len(wanted)
    return DescribeTopicPartitionsResponse(topics=topics)


def _names(broker: Broker, request: DescribeTopicPartitionsRequest) -> Iterator[str]:
    asked = {topic.name for topic in request.topics} or {topic.name for topic in broker.topics}
    first = request.cursor.topic_name if request.cursor else ""
    return (name for name in sorted(asked) if name >= first)


def _is_possible(cursor: Cursor, request: DescribeTopicPartitionsRequest) -> bool:
    """Whether a page could have ended there: in one of the topics, if not all are requested."""
    named = {one.name for one in request.topics}
    return cursor.partition_index >= 0 and (not named or cursor.topic_name in named)


def _missing(
    name: str, code: ErrorCode, operations: int = NOT_ASKED
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        error_code=code,
        name=name,
        topic_id=NO_UUID,
        partitions=[],
        topic_authorized_operations=operations,
    )


def _described(
    broker: Broker, topic: Topic, indexes: list[int]
) -> DescribeTopicPartitionsResponseTopic:
    seen = [view(broker, topic.name, index) for index in indexes]
    return DescribeTopicPartitionsResponseTopic(
        error_code=ErrorCode.NONE,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.name in INTERNAL_TOPICS,
        partitions=[
            DescribeTopicPartitionsResponsePartition(
                error_code=one.error,
                partition_index=one.number,
                leader_id=one.leader,
                leader_epoch=one.epoch,
                replica_nodes=one.replicas,
                isr_nodes=one.in_sync,
                eligible_leader_replicas=[],
                last_known_elr=[],
                offline_replicas=one.offline,
            )
            for one in seen
        ],
        topic_authorized_operations=ON_TOPICS,
    )
