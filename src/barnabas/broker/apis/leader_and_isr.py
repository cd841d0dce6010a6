"""LeaderAndIsr (key 4): the controller says which partitions this broker leads and follows.

Does: compares the epochs of controller, broker and partitions; begins the roles, in steps.
Refuses: all of it, where this broker is no member of a cluster.
Ignores: `live_leaders`, as UpdateMetadata says where brokers are; `type`: logs of topics that are gone stay.
Versions: 2 broker epoch (KIP-380) · 5 topic ids, and the response has them (KIP-516)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps
from barnabas.errors import ErrorCode
from barnabas.protocol.leader_and_isr import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)
from barnabas.types import TopicPartition
from barnabas.versions import VersionTable

_BY_ID = VersionTable({0: False, 5: True})


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: LeaderAndIsrRequest
) -> Steps[LeaderAndIsrResponse]:
    """Lead and follow."""
    if broker.member is None:
        return LeaderAndIsrResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    error, errors = yield from broker.member.take_leaders(request)
    if error:
        return LeaderAndIsrResponse(error_code=error)
    rows = [(one.topic_name, one.partition_index) for one in request.ungrouped_partition_states]
    for topic in request.topic_states:
        rows += [(topic.topic_name, one.partition_index) for one in topic.partition_states]

    def answer(name: str, index: int, shown: str) -> LeaderAndIsrPartitionError:
        code = errors.get(TopicPartition(name, index), ErrorCode.NONE)
        return LeaderAndIsrPartitionError(topic_name=shown, partition_index=index, error_code=code)

    by_id = _BY_ID[context.api_version]
    if not by_id:
        found = yield from grown(rows, lambda row: answer(*row, row[0]))
        return LeaderAndIsrResponse(error_code=ErrorCode.NONE, partition_errors=found)
    topics = yield from grown(
        request.topic_states,
        lambda topic: LeaderAndIsrTopicError(
            topic_id=topic.topic_id,
            partition_errors=[
                answer(topic.topic_name, one.partition_index, "") for one in topic.partition_states
            ],
        ),
    )
    return LeaderAndIsrResponse(error_code=ErrorCode.NONE, topics=topics)
