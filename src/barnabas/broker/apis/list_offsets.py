"""ListOffsets (key 2): find offsets by timestamp, and the ends of a log.

Does: earliest (-2), latest (-1), the record with the greatest timestamp (-3), earliest local (-4); by
    timestamp the first record at or after it. With `read_committed` the log ends where the oldest open
    transaction begins. Many lookups by timestamp are done in steps, between which others are served.
Ignores: `replica_id`, `timeout_ms`. Nothing is tiered: -5 and -6 find nothing.
Versions: 0 offsets by segment · 1 one offset, by record (KIP-79) · 4 leader epochs · 7 greatest
    timestamp (KIP-734) · 8, 9, 11 tiered storage
"""

from collections.abc import Iterator

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.broker.replicas.offset_lookup import find_by_segment, find_offset, found
from barnabas.errors import ErrorCode
from barnabas.protocol.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from barnabas.records.batches.unpacking import Unpacking
from barnabas.types import READ_COMMITTED
from barnabas.versions import VersionTable

_LOWEST = VersionTable({0: -2, 7: -3, 8: -4, 9: -5, 11: -6})
"""The special timestamps that a version knows. Source: KIP-734, KIP-405, KIP-1005, KIP-1023."""


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: ListOffsetsRequest
) -> Steps[ListOffsetsResponse]:
    """Look up, in the order of the request."""
    lowest = _LOWEST[context.api_version]
    every = _looked_up(broker, request, by_segment=context.api_version == 0)
    response = ListOffsetsResponse(topics=[])
    for topic in request.topics:
        answers: list[ListOffsetsPartitionResponse] = []
        for asked, answer in zip(topic.partitions, every, strict=False):
            if asked.timestamp < lowest:
                answers.append(found(asked.partition_index, ErrorCode.UNSUPPORTED_VERSION))
            else:
                answers.append(answer)
            yield
        if answers:
            response.topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answers))
    return response


def _looked_up(
    broker: Broker, request: ListOffsetsRequest, *, by_segment: bool
) -> Iterator[ListOffsetsPartitionResponse]:
    """The offset of each partition, in the order of the request; other requests may run in between.

    `by_segment`: several offsets of segments for each partition, as before 0.10.1.
    """
    replicas, unpacking = broker.replicas, Unpacking()
    replicas.write()
    now_ms = broker.clock.time_ms()
    only = request.isolation_level == READ_COMMITTED
    for topic in request.topics:
        for asked in topic.partitions:
            partition = replicas.find(topic.name, asked.partition_index)
            if partition is None:
                yield found(asked.partition_index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            elif by_segment:
                yield find_by_segment(partition, asked, now_ms)
            else:
                at = find_offset(
                    partition,
                    asked,
                    committed_only=only,
                    of_replica=request.replica_id >= 0 and partition.role is not None,
                    unpacking=unpacking,
                )
                if unpacking.is_much:
                    replicas.on_slow()
                yield at
