"""EndTxn (key 26): commit or abort a transaction (KIP-98).

Does: responds when the decision is written; the markers follow.
Refuses: a producer that another one has replaced, and the end of a transaction that has not begun.
Versions: 2 PRODUCER_FENCED · 4 TRANSACTION_ABORTABLE · 5 transactions version 2: the answer has the
    epoch, and perhaps the id, for the next transaction (KIP-890)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.coordinators.transaction.ending import EndRequest, EndResult
from barnabas.coordinators.transaction.transaction import VERSION_2, ProducerIdAndEpoch
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.protocol.end_txn import EndTxnRequest, EndTxnResponse
from barnabas.versions import VersionTable

_FENCED = VersionTable({0: ErrorCode.INVALID_PRODUCER_EPOCH, 2: ErrorCode.PRODUCER_FENCED})
_VERSION = VersionTable({0: 0, 5: VERSION_2})


def handle(broker: Broker, context: RequestContext, request: EndTxnRequest) -> object:
    """Decide it."""
    fenced = _FENCED[context.api_version]

    def respond(reply: EndResult) -> EndTxnResponse:
        if reply.error:
            code = fenced if reply.error is ErrorCode.PRODUCER_FENCED else reply.error
            return EndTxnResponse(error_code=code)
        return EndTxnResponse(
            error_code=ErrorCode.NONE,
            producer_id=reply.producer.id,
            producer_epoch=reply.producer.epoch,
        )

    if not request.transactional_id:
        return respond(EndResult(ErrorCode.INVALID_REQUEST))
    asked = EndRequest(
        request.transactional_id,
        ProducerIdAndEpoch(request.producer_id, request.producer_epoch),
        request.committed,
        _VERSION[context.api_version],
    )
    try:
        return broker.transactions.end(asked, respond)
    except (BrokerError, StorageError) as error:
        return respond(EndResult(error.code))
