"""WriteShareGroupState (key 85): keep what a share group has read (KIP-932).

Does: lays what is said over what there was: of offsets that were told before, what was delivered more often
    counts. A partition of this broker is read anew from that.
Refuses: partitions that were not begun, epochs below the last ones.
Versions: 1 how many are done with (KIP-1226)
"""

from functools import partial
from typing import Any

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.shares.coordinator import ShareCoordinator, Told
from barnabas.broker.shares.state_requests import Shape, answer_each
from barnabas.coordinators.share_partition.spans import Delivery, Span
from barnabas.coordinators.share_state.leaders import Change
from barnabas.coordinators.share_state.states import KeptState, StateKey
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
    shape = Shape(WriteShareGroupStateResponse, WriteStateResult, _row)
    return answer_each(request, shape, partial(_ask, broker.shares.coordinator))


def _ask(coordinator: ShareCoordinator, key: StateKey, asked: Any, told: Told) -> None:
    said = Change(
        asked.state_epoch,
        asked.leader_epoch,
        asked.start_offset,
        asked.delivery_complete_count,
        tuple(_span(one) for one in asked.state_batches),
    )
    coordinator.write(key, said, told)


def _span(said: StateBatch) -> Span:
    if said.delivery_state not in set(Delivery) or said.last_offset < said.first_offset:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "offsets in order, in a state that there is")
    state = Delivery(said.delivery_state)
    return Span(said.first_offset, said.last_offset, state, said.delivery_count)


def _row(partition: int, _nothing: KeptState) -> PartitionResult:
    return PartitionResult(partition=partition, error_code=ErrorCode.NONE)
