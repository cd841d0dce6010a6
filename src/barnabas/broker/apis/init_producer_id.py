"""InitProducerId (key 22): an id and epoch for an idempotent producer (KIP-98).

Does: a new id with epoch 0 for every producer that asks, also for one that has an id already (the
    bump of KIP-360 is the transaction coordinator's).
Ignores: `transaction_timeout_ms`. A transactional id is refused for good: there are no transactions.
Versions: 3 the producer may say what id it has · 4, 5 codes that only transactions meet
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode, StorageError
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse


def handle(
    broker: Broker, context: RequestContext, request: InitProducerIdRequest
) -> InitProducerIdResponse:
    """Give out an id that nobody has had."""
    del context
    half_known = (request.producer_id == -1) != (request.producer_epoch == -1)
    if request.transactional_id is not None or half_known:
        return _refused(ErrorCode.INVALID_REQUEST)
    try:
        producer_id = broker.producer_ids.next()
    except StorageError as error:
        return _refused(error.code)
    return InitProducerIdResponse(
        error_code=ErrorCode.NONE, producer_id=producer_id, producer_epoch=0
    )


def _refused(code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=-1, producer_epoch=-1)
