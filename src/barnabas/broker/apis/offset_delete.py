"""OffsetDelete (key 47): delete positions of a group (KIP-496).

Does: responds when the deletion is written.
Refuses: topics that consumers of the group are subscribed to; all topics of a group whose members are
    not consumers.
"""

from collections.abc import Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from barnabas.types import TopicPartition


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: OffsetDeleteRequest
) -> Steps[OffsetDeleteResponse]:
    """Delete the offsets of existing partitions; the others get an error."""
    del context
    positions = [
        TopicPartition(topic.name, partition.partition_index)
        for topic in request.topics
        for partition in topic.partitions
        if _is_there(broker, topic.name, partition.partition_index)
    ]
    code = ErrorCode.INVALID_GROUP_ID
    codes: Sequence[ErrorCode] = ()
    try:
        if request.group_id:
            code, codes = yield from broker.group_removal.delete_offsets(
                request.group_id, positions
            )
    except BrokerError as error:
        code = error.code
    if code:
        return OffsetDeleteResponse(error_code=code, topics=[])
    return _answer(request, dict(zip(positions, codes, strict=True)))


def _is_there(broker: Broker, name: str, index: int) -> bool:
    topic = broker.topics.get(name)
    return topic is not None and index in topic.partitions


def _answer(
    request: OffsetDeleteRequest, codes: dict[TopicPartition, ErrorCode]
) -> OffsetDeleteResponse:
    missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return OffsetDeleteResponse(
        error_code=ErrorCode.NONE,
        topics=[
            OffsetDeleteResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetDeleteResponsePartition(
                        partition_index=one.partition_index,
                        error_code=codes.get(
                            TopicPartition(topic.name, one.partition_index), missing
                        ),
                    )
                    for one in topic.partitions
                ],
            )
            for topic in request.topics
            if topic.partitions
        ],
    )
