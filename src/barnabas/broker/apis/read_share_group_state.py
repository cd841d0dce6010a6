"""ReadShareGroupState (key 84): the progress of a share group in partitions (KIP-932).

Does: returns the stored state, and stores the leader epoch of the request.
Refuses: partitions without a state, and leader epochs below the stored one.
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
from barnabas.protocol.read_share_group_state import (
    PartitionResult,
    ReadShareGroupStateRequest,
    ReadShareGroupStateResponse,
    ReadStateResult,
    StateBatch,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: ReadShareGroupStateRequest
) -> Steps[object]:
    """Tell each."""
    del context
    shape = ResponseShape(ReadShareGroupStateResponse, ReadStateResult, _row)
    return answer_each(request, shape, partial(_ask, broker.shares.coordinator))


def _ask(coordinator: ShareCoordinator, key: StateKey, asked: Any, respond: RespondState) -> None:
    coordinator.read(key, asked.leader_epoch, respond)


def _row(partition: int, found: ShareState) -> PartitionResult:
    return PartitionResult(
        partition=partition,
        error_code=ErrorCode.NONE,
        state_epoch=found.state_epoch,
        start_offset=found.start,
        state_batches=[
            StateBatch(
                first_offset=one.first,
                last_offset=one.last,
                delivery_state=one.state,
                delivery_count=one.count,
            )
            for one in found.spans
        ],
    )
