"""AlterPartitionReassignments (key 45): move partitions to other brokers (KIP-455).

Does: in a cluster, begins, replaces and calls off moves. A broker that is alone takes a reassignment to
    itself, where every partition is already; it refuses others with INVALID_REPLICA_ASSIGNMENT, and
    cancelling those that do not continue.
Ignores: `timeout_ms`, and whether the number of replicas may change.
Versions: 1 whether the number of replicas may change (KIP-860)
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps
from barnabas.broker.topics.assignments import explicit_assignment
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: AlterPartitionReassignmentsRequest
) -> Steps[AlterPartitionReassignmentsResponse]:
    """Answer for each partition."""
    del context
    if broker.member is not None:
        # Imported late: a broker that is alone needs none of it.
        from barnabas.broker.requests.cluster_moves import reassign

        return (yield from reassign(broker.member.controller, request))
    responses = []
    for topic in request.topics:
        partitions = yield from grown(topic.partitions, partial(_answer, broker, topic.name))
        responses.append(ReassignableTopicResponse(name=topic.name, partitions=partitions))
    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change,
        error_code=ErrorCode.NONE,
        responses=responses,
    )


def _answer(
    broker: Broker, name: str, asked: ReassignablePartition
) -> ReassignablePartitionResponse:
    code, why = ErrorCode.NONE, None
    try:
        _check(broker, name, asked)
    except BrokerError as error:
        code, why = error.code, error.why
    return ReassignablePartitionResponse(
        partition_index=asked.partition_index, error_code=code, error_message=why
    )


def _check(broker: Broker, name: str, asked: ReassignablePartition) -> None:
    index = asked.partition_index
    topic = broker.topics.get(name)
    if topic is None or index not in topic.partitions:
        raise BrokerError(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no partition {index} of topic {name}"
        )
    if asked.replicas is None:
        raise BrokerError(
            ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, f"partition {index} of {name} is not being moved"
        )
    explicit_assignment({index: asked.replicas}, index, [broker.config.node_id])
