"""OffsetForLeaderEpoch (key 23): where a leader epoch ends, to find where two logs part.

Does: answers for the partitions this broker leads (KIP-101, KIP-279, KIP-320).
Ignores: `replica_id`.
Versions: 1 epochs in answers · 2 current leader epoch · 3 consumers may ask
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps_while_connected
from barnabas.errors import ErrorCode
from barnabas.protocol.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: OffsetForLeaderEpochRequest
) -> Steps[OffsetForLeaderEpochResponse]:
    """Answer each partition by itself."""
    del context
    results = []
    for topic in request.topics:
        partitions = yield from grown(topic.partitions, partial(_answer, broker, topic.topic))
        results.append(OffsetForLeaderTopicResult(topic=topic.topic, partitions=partitions))
    return OffsetForLeaderEpochResponse(topics=results)


def _answer(broker: Broker, topic: str, asked: OffsetForLeaderPartition) -> EpochEndOffset:
    partition = broker.replicas.find(topic, asked.partition)
    if partition is None:
        return EpochEndOffset(
            error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, partition=asked.partition
        )
    code, epoch, end = partition.end_offset_for_epoch(
        asked.current_leader_epoch, asked.leader_epoch
    )
    return EpochEndOffset(
        error_code=code, partition=asked.partition, leader_epoch=epoch, end_offset=end
    )
