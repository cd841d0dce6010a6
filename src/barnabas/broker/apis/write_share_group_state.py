"""WriteShareGroupState (key 85): store the progress of a share group (KIP-932).

Does: lays the new state over the old one; for offsets in both, the larger delivery count wins. A
    partition of this broker is then read again from the result.
Refuses: partitions that were not initialized, epochs below the last ones.
Versions: 1 the number of done records (KIP-1226)
"""

from functools import partial
from typing import Any

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.shares.coordinator import RespondState, ShareCoordinator
from barnabas.broker.shares.state_requests import ResponseShape, answer_each
from barnabas.coordinators.share_partition.spans import DeliveryState, Span
from barnabas.coordinators.share_state.leaders import StateUpdate
from barnabas.coordinators.share_state.states import ShareState, StateKey
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.write_share_group_state import (
    PartitionResult,
    StateBatch,
    WriteShareGroupStateRequest,
    WriteShareGroupStateResponse,
    WriteStateResult,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: WriteShareGroupStateRequest
) -> Steps[object]:
    """Keep each."""
    del context
    shape = ResponseShape(WriteShareGroupStateResponse, WriteStateResult, _row)
    return answer_each(request, shape, partial(_ask, broker.shares.coordinator))


def _ask(coordinator: ShareCoordinator, key: StateKey, asked: Any, respond: RespondState) -> None:
    update = StateUpdate(
        asked.state_epoch,
        asked.leader_epoch,
        asked.start_offset,
        asked.delivery_complete_count,
        tuple(_span(one) for one in asked.state_batches),
    )
    coordinator.write(key, update, respond)


def _span(batch: StateBatch) -> Span:
    if batch.delivery_state not in set(DeliveryState) or batch.last_offset < batch.first_offset:
        raise BrokerError(
            ErrorCode.INVALID_REQUEST, "batches need ordered offsets and a valid delivery state"
        )
    state = DeliveryState(batch.delivery_state)
    return Span(batch.first_offset, batch.last_offset, state, batch.delivery_count)


def _row(partition: int, _nothing: ShareState) -> PartitionResult:
    return PartitionResult(partition=partition, error_code=ErrorCode.NONE)
