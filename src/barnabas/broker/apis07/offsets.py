"""OFFSETS: where segments of a partition begin, and its end, by the time they were last changed.

Does: -1 latest, -2 earliest, other times as milliseconds; greatest first, at most so many. The end
    is there where the last segment is, as seed 000 has it; with 0.7.2 only from its present time on.
Ignores: the number for a partition without a log, which has the offset 0, as in 0.7.2.
Errors: for a name that no topic can have, a partition that there cannot be and a negative number;
    0.7 has no place for them.
Source: seed 000 "Offsets"; Kafka 0.7.2's handleOffsetRequest, Log.getOffsetsBefore.
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.replicas.offset_lookup import find_by_segment, found
from barnabas.broker.requests.topics07 import to_read
from barnabas.errors import ErrorCode
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

_ENDS = frozenset({-1, -2})


def handle(
    broker: Broker, context: RequestContext, request: ListOffsetsRequest
) -> ListOffsetsResponse:
    """Find offsets, in the order of the request."""
    del context
    broker.replicas.write()
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[_find(broker, topic.name, asked) for asked in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _find(broker: Broker, topic: str, asked: ListOffsetsPartition) -> ListOffsetsPartitionResponse:
    index = asked.partition_index
    partition = to_read(broker, topic, index)
    if isinstance(partition, ErrorCode):
        return found(index, partition)
    if partition is None:
        answer = found(index, ErrorCode.NONE)
        answer.old_style_offsets = [0] if asked.timestamp in _ENDS else []
        return answer
    if asked.max_num_offsets < 0:
        return found(index, ErrorCode.INVALID_REQUEST)
    return find_by_segment(partition, asked, None)
