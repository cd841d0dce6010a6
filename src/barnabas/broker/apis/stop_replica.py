"""StopReplica (key 5): the controller takes replicas from this broker, and may have their logs deleted.

Does: compares the epochs of controller, broker and partitions; logs to be deleted go before the response.
Refuses: all of it, where this broker is no member of a cluster.
Versions: 1 broker epoch (KIP-380) · 3 leader epochs; each partition has its deletion (KIP-570)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps
from barnabas.errors import ErrorCode
from barnabas.protocol.stop_replica import (
    StopReplicaPartitionError,
    StopReplicaRequest,
    StopReplicaResponse,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: StopReplicaRequest
) -> Steps[StopReplicaResponse]:
    """Stop them."""
    del context
    if broker.member is None:
        code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
        return StopReplicaResponse(error_code=code, partition_errors=[])
    error, errors = yield from broker.member.stop_replicas(request)
    rows = yield from grown(
        errors.items(),
        lambda row: StopReplicaPartitionError(
            topic_name=row[0].topic, partition_index=row[0].partition, error_code=row[1]
        ),
    )
    return StopReplicaResponse(error_code=error, partition_errors=rows)
