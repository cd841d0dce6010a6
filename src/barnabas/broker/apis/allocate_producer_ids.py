"""AllocateProducerIds (key 67): a broker of Kafka 3 asks its controller for ids of producers (KIP-730).

Does: gives a block of a thousand, which is written down first.
Refuses: brokers that are not registered with this epoch; all while this broker is not the controller.
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.transactions.producer_ids import claim_block
from barnabas.errors import ErrorCode, KafkaError
from barnabas.protocol.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from barnabas.types import NodeId


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: AllocateProducerIdsRequest
) -> Steps[AllocateProducerIdsResponse]:
    """Give a block."""
    del context
    member = broker.member
    if member is None:
        return _refused(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    try:
        known = member.controller.view.image.brokers.get(NodeId(request.broker_id))
        if known is None or known.epoch != request.broker_epoch:
            return _refused(ErrorCode.STALE_BROKER_EPOCH)
        claim = partial(claim_block, broker.registry, request.broker_id)
        first, end = yield member.ask_registry(claim)
    except KafkaError as error:
        return _refused(error.code)
    return AllocateProducerIdsResponse(
        error_code=ErrorCode.NONE, producer_id_start=first, producer_id_len=end - first
    )


def _refused(code: ErrorCode) -> AllocateProducerIdsResponse:
    return AllocateProducerIdsResponse(error_code=code, producer_id_start=-1, producer_id_len=0)
