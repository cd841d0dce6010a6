"""ListPartitionReassignments (key 46): which partitions are being moved (KIP-455).

Does: names those, in a cluster; with one broker there is nowhere to move to.
Ignores: `timeout_ms`.
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)


def handle(
    broker: Broker, context: RequestContext, request: ListPartitionReassignmentsRequest
) -> ListPartitionReassignmentsResponse:
    """Say which there are: none, where with one broker there is nowhere to move to."""
    del context
    if broker.member is not None:
        # Imported late: a broker that is alone needs none of it.
        from barnabas.broker.requests.cluster_moves import list_moves

        return list_moves(broker.member.controller, request)
    return ListPartitionReassignmentsResponse(error_code=ErrorCode.NONE, topics=[])
