"""ListPartitionReassignments (key 46): which partitions are being moved (KIP-455): none ever is.

Does: says that none is: with one broker there is nowhere to move to.
Ignores: which partitions are asked for, and `timeout_ms`.
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
    """Say that there are none: with one broker there is nowhere to move to."""
    del broker, context, request
    return ListPartitionReassignmentsResponse(error_code=ErrorCode.NONE, topics=[])
