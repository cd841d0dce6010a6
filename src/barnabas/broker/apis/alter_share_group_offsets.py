"""AlterShareGroupOffsets (key 91): let a share group continue at other offsets (KIP-932).

Does: answers when that is kept; makes the group if it is not there.
Refuses: groups with members, and those of other kinds.
"""

from collections.abc import Mapping
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, grown_in_steps, in_steps
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)

_NO_TOPIC = bytes(16)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: AlterShareGroupOffsetsRequest
) -> Steps[AlterShareGroupOffsetsResponse]:
    """Move the existing partitions; the others get an error."""
    del context
    starts = {}
    for asked in request.topics:
        topic = broker.topics.get(asked.topic_name)
        for one in asked.partitions:
            if topic is not None and one.partition_index in topic.partitions:
                starts[TopicIdPartition(topic.topic_id, one.partition_index)] = one.start_offset
            yield
    try:
        codes = yield from broker.shares.offsets.move(request.group_id, starts)
    except BrokerError as error:
        return AlterShareGroupOffsetsResponse(
            error_code=error.code, error_message=error.why, responses=[]
        )
    responses = yield from grown_in_steps(request.topics, partial(_topic, broker, codes))
    return AlterShareGroupOffsetsResponse(error_code=ErrorCode.NONE, responses=responses)


def _topic(
    broker: Broker,
    codes: Mapping[TopicIdPartition, ErrorCode],
    asked: AlterShareGroupOffsetsRequestTopic,
) -> Steps[AlterShareGroupOffsetsResponseTopic]:
    topic = broker.topics.get(asked.topic_name)
    topic_id = _NO_TOPIC if topic is None else topic.topic_id

    def result(
        one: AlterShareGroupOffsetsRequestPartition,
    ) -> AlterShareGroupOffsetsResponsePartition:
        missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return AlterShareGroupOffsetsResponsePartition(
            partition_index=one.partition_index,
            error_code=codes.get(TopicIdPartition(topic_id, one.partition_index), missing),
        )

    partitions = yield from grown(asked.partitions, result)
    return AlterShareGroupOffsetsResponseTopic(
        topic_name=asked.topic_name, topic_id=topic_id, partitions=partitions
    )
