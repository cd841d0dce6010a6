"""ListOffsets (key 2): find offsets by timestamp, and the ends of a log.

Does: earliest (-2), latest (-1), the record with the greatest timestamp (-3), earliest local (-4); by
    timestamp the first record at or after it. To who reads committed records the log ends where the
    oldest open transaction begins. Many lookups by timestamp go in steps, between which others are
    served.
Ignores: `replica_id`, `timeout_ms`. Nothing is tiered: -5 and -6 find nothing.
Versions: 0 offsets by segment · 1 one offset, by record (KIP-79) · 4 leader epochs · 7 greatest
    timestamp (KIP-734) · 8, 9, 11 tiered storage
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_heard
from barnabas.broker.replicas.offset_lookup import found
from barnabas.errors import ErrorCode
from barnabas.protocol.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from barnabas.versions import VersionTable

_LOWEST = VersionTable({0: -2, 7: -3, 8: -4, 9: -5, 11: -6})
"""The special timestamps that a version knows. Source: KIP-734, KIP-405, KIP-1005, KIP-1023."""


@in_steps_while_heard
def handle(
    broker: Broker, context: RequestContext, request: ListOffsetsRequest
) -> Steps[ListOffsetsResponse]:
    """Look up, in the order of the request."""
    lowest = _LOWEST[context.api_version]
    every = broker.replicas.list_offsets(request, by_segment=context.api_version == 0)
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
