"""ReadShareGroupStateSummary (key 87): the start offsets of a share group, without its batches (KIP-932).

Does: returns the stored start; -1 for partitions without a state.
Refuses: partitions that do not exist.
Ignores: the leader epoch of the request.
Versions: 1 the number of completed records (KIP-1226)
"""

from functools import partial
from typing import Any

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.broker.shares.coordinator import RespondState, ShareCoordinator
from barnabas.broker.shares.state_requests import ResponseShape, answer_each
from barnabas.coordinators.share_state.states import ShareState, StateKey
from barnabas.errors import ErrorCode
from barnabas.protocol.read_share_group_state_summary import (
    PartitionResult,
    ReadShareGroupStateSummaryRequest,
    ReadShareGroupStateSummaryResponse,
    ReadStateSummaryResult,
)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: ReadShareGroupStateSummaryRequest
) -> Steps[object]:
    """Return the start of each partition."""
    del context
    shape = ResponseShape(ReadShareGroupStateSummaryResponse, ReadStateSummaryResult, _row)
    return answer_each(request, shape, partial(_ask, broker.shares.coordinator))


def _ask(coordinator: ShareCoordinator, key: StateKey, asked: Any, respond: RespondState) -> None:
    del asked
    coordinator.look(key, respond)


def _row(partition: int, found: ShareState) -> PartitionResult:
    return PartitionResult(
        partition=partition,
        error_code=ErrorCode.NONE,
        state_epoch=found.state_epoch,
        leader_epoch=found.leader_epoch,
        start_offset=found.start,
        delivery_complete_count=found.done,
    )
