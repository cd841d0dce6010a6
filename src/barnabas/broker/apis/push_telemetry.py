"""PushTelemetry (key 72): a client sends its metrics (KIP-714).

Does: checks client, subscription, time, size and compression; counts what was sent.
Ignores: what the metrics say: they are kept nowhere, as in a Kafka without a plugin for them.
"""

import logging

from barnabas.broker.apis.get_telemetry_subscriptions import client_of
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.errors import BrokerError, CorruptRecord, ErrorCode
from barnabas.protocol.push_telemetry import PushTelemetryRequest, PushTelemetryResponse
from barnabas.records.codecs.compression import HIGHEST_CODEC, decompress
from barnabas.wire.schema import NO_UUID

log = logging.getLogger(__name__)

_MOST_TIMES = 50
"""How many times larger than `telemetry.max.bytes` metrics may be when they are decompressed."""


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: PushTelemetryRequest
) -> Steps[PushTelemetryResponse]:
    """Take the metrics, or say why not."""
    try:
        size = yield from _take(broker, context, request)
    except BrokerError as error:
        broker.telemetry.answered(request.client_instance_id, error.code)
        return PushTelemetryResponse(error_code=error.code)
    broker.telemetry.answered(request.client_instance_id, ErrorCode.NONE)
    broker.telemetry.took(len(request.metrics))
    log.debug("client metrics", extra={"client": context.client_id, "bytes": size})
    return PushTelemetryResponse(error_code=ErrorCode.NONE)


def _take(broker: Broker, context: RequestContext, request: PushTelemetryRequest) -> Steps[int]:
    instance_id = request.client_instance_id
    if instance_id == NO_UUID:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "a client that pushes has an id")
    yield from broker.telemetry.check_push(
        instance_id,
        client_of(broker, context, instance_id),
        context.connection,
        request.subscription_id,
        terminating=request.terminating,
    )
    if not 0 <= request.compression_type <= HIGHEST_CODEC:
        what = f"nobody knows the codec {request.compression_type}"
        raise BrokerError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, what)
    most = broker.config.telemetry_max_bytes
    if len(request.metrics) > most:
        raise BrokerError(ErrorCode.TELEMETRY_TOO_LARGE, f"more than {most} bytes")
    if not request.metrics:
        return 0
    try:
        broker.slow_requests.handled()
        return len(decompress(request.compression_type, request.metrics, _MOST_TIMES * most))
    except CorruptRecord as error:
        raise BrokerError(ErrorCode.INVALID_RECORD, str(error)) from error
