"""DeleteShareGroupState (key 86): delete the progress of a share group in partitions (KIP-932).

Does: deletes the stored state; that there is none is not an error.
Refuses: partitions that do not exist.
Versions: 0
"""

from functools import partial
from typing import Any

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.shares.coordinator import RespondState, ShareCoordinator
from barnabas.broker.shares.state_requests import ResponseShape, answer_each
from barnabas.coordinators.share_state.states import ShareState, StateKey
from barnabas.errors import ErrorCode
from barnabas.protocol.delete_share_group_state import (
    DeleteShareGroupStateRequest,
    DeleteShareGroupStateResponse,
    DeleteStateResult,
    PartitionResult,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: DeleteShareGroupStateRequest
) -> Steps[object]:
    """Delete the state of each partition."""
    del context
    shape = ResponseShape(DeleteShareGroupStateResponse, DeleteStateResult, _row)
    return answer_each(request, shape, partial(_ask, broker.shares.coordinator))


def _ask(coordinator: ShareCoordinator, key: StateKey, asked: Any, respond: RespondState) -> None:
    del asked
    coordinator.end(key, respond)


def _row(partition: int, _nothing: ShareState) -> PartitionResult:
    return PartitionResult(partition=partition, error_code=ErrorCode.NONE)
