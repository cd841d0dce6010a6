"""InitProducerId (key 22): an id and epoch for a producer (KIP-98, KIP-360).

Does: without a transactional id a new id with epoch 0, also for one that has an id already; with one
    the id that belongs to it under its next epoch, which fences the previous producer. An open
    transaction is aborted first: the response asks the producer to retry.
Ignores: nothing. A timeout is checked, and kept with the transactional id.
Versions: 3 the producer may send its present id · 4 PRODUCER_FENCED · 5 TRANSACTION_ABORTABLE
    6 two-phase commit (KIP-939), of which only the missing timeout is there: as in Kafka 4.3 a
    prepared transaction cannot be kept
"""

import logging

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.shards.record_names import check_kept
from barnabas.coordinators.transaction.initiating import InitRequest, InitResult
from barnabas.coordinators.transaction.transaction import NOBODY, ProducerIdAndEpoch
from barnabas.errors import BrokerError, ErrorCode, StorageError
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.versions import VersionTable

log = logging.getLogger(__name__)

_FENCED = VersionTable({0: ErrorCode.INVALID_PRODUCER_EPOCH, 4: ErrorCode.PRODUCER_FENCED})
_NO_LIMIT_MS = 2**31 - 1


def handle(broker: Broker, context: RequestContext, request: InitProducerIdRequest) -> object:
    """Give out an id that nobody has had, or the next epoch of a transactional one."""
    half_known = (request.producer_id == -1) != (request.producer_epoch == -1)
    if half_known:
        return _refused(ErrorCode.INVALID_REQUEST)
    try:
        if request.transactional_id is None:
            return _response(ProducerIdAndEpoch(broker.producer_ids.next(), 0))
        refusal = _refusal(broker, request)
        if refusal is not None:
            return _refused(refusal)
        check_kept(request.transactional_id)
        fenced = _FENCED[context.api_version]

        def respond(reply: InitResult) -> InitProducerIdResponse:
            if reply.error is ErrorCode.PRODUCER_FENCED:
                return _refused(fenced)
            return _refused(reply.error) if reply.error else _response(reply.producer)

        timeout_ms = _NO_LIMIT_MS if request.enable_2pc else request.transaction_timeout_ms
        expected = ProducerIdAndEpoch(request.producer_id, request.producer_epoch)
        asked = InitRequest(
            request.transactional_id, timeout_ms, NOBODY if expected.id == -1 else expected
        )
        return broker.transactions.initiate(asked, respond)
    except StorageError as error:
        log.warning("no producer id given", extra={"error": error})
        return _refused(error.code)
    except BrokerError as error:
        return _refused(error.code)


def _refusal(broker: Broker, request: InitProducerIdRequest) -> ErrorCode | None:
    if not request.transactional_id:
        return ErrorCode.INVALID_REQUEST
    config = broker.config
    if request.enable_2pc and not config.transaction_two_phase_commit_enable:
        return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    if request.keep_prepared_txn:
        return ErrorCode.UNSUPPORTED_VERSION
    allowed = 0 < request.transaction_timeout_ms <= config.transaction_max_timeout_ms
    return None if allowed or request.enable_2pc else ErrorCode.INVALID_TRANSACTION_TIMEOUT


def _response(producer: ProducerIdAndEpoch) -> InitProducerIdResponse:
    return InitProducerIdResponse(
        error_code=ErrorCode.NONE, producer_id=producer.id, producer_epoch=producer.epoch
    )


def _refused(code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=-1, producer_epoch=-1)
