"""ControlledShutdown (key 7): a broker stops, and has the controller move its leaders away first.

Does: answers with the partitions that nobody else in sync can lead.
Refuses: a broker that is not registered, or was registered again since; all while this broker is not the
    controller.
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.cluster.events import ShutdownAsked
from barnabas.errors import ErrorCode, KafkaError
from barnabas.protocol.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    RemainingPartition,
)
from barnabas.types import NodeId


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: ControlledShutdownRequest
) -> Steps[ControlledShutdownResponse]:
    """Move its leaders."""
    del context
    if broker.member is None:
        return _answer(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    event = ShutdownAsked(NodeId(request.broker_id), request.broker_epoch)
    try:
        (decision,) = yield broker.member.controller.take(event)
    except KafkaError as error:
        return _answer(error.code)
    response = _answer(decision.error)
    response.remaining_partitions = [
        RemainingPartition(topic_name=one.topic, partition_index=one.partition)
        for one in decision.remaining
    ]
    return response


def _answer(code: ErrorCode) -> ControlledShutdownResponse:
    return ControlledShutdownResponse(error_code=code, remaining_partitions=[])
