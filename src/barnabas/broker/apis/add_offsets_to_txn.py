"""AddOffsetsToTxn (key 25): a transaction commits offsets of a group (KIP-98).

Does: lets the partition of __consumer_offsets that the group is in take part in the transaction.
Ignores: whether there is such a group: it may begin with these offsets.
Versions: 2 PRODUCER_FENCED · 4 TRANSACTION_ABORTABLE (KIP-890)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.coordinators.transaction.adding import AddRequest
from barnabas.coordinators.transaction.transaction import ProducerIdAndEpoch
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from barnabas.versions import VersionTable

_FENCED = VersionTable({0: ErrorCode.INVALID_PRODUCER_EPOCH, 2: ErrorCode.PRODUCER_FENCED})
_VERSION_OF_CLIENTS = 0
"""Producers of transactions version 2 do not ask: they commit."""


def handle(broker: Broker, context: RequestContext, request: AddOffsetsToTxnRequest) -> object:
    """Add the group's partition."""
    fenced = _FENCED[context.api_version]

    def respond(code: ErrorCode) -> AddOffsetsToTxnResponse:
        code = fenced if code is ErrorCode.PRODUCER_FENCED else code
        return AddOffsetsToTxnResponse(error_code=code)

    if not request.transactional_id:
        return respond(ErrorCode.INVALID_REQUEST)
    try:
        place = broker.groups.of(request.group_id).partition.log.topic_partition
        asked = AddRequest(
            request.transactional_id,
            ProducerIdAndEpoch(request.producer_id, request.producer_epoch),
            frozenset({place}),
            _VERSION_OF_CLIENTS,
        )
        return broker.transactions.add(asked, respond)
    except (BrokerError, StorageError) as error:
        return respond(error.code)
