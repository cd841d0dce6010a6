"""GetTelemetrySubscriptions (key 71): which of its metrics a client is to send, and how (KIP-714).

Does: gives a new client its id; joins the subscriptions that fit the client (resources of the type
    CLIENT_METRICS); without one nothing is requested of it.
Refuses: a client that asks again before it is due, although nothing has changed for it.
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.properties.telemetry_match import Client, Software
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.errors import BrokerError, ErrorCode
from barnabas.log.file_names import uuid_text
from barnabas.protocol.get_telemetry_subscriptions import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
)
from barnabas.records.codecs.compression import Codec
from barnabas.wire.schema import NO_UUID

_CODECS = (Codec.ZSTD, Codec.LZ4, Codec.GZIP, Codec.SNAPPY)
"""What clients may compress with, the best first."""


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: GetTelemetrySubscriptionsRequest
) -> Steps[GetTelemetrySubscriptionsResponse]:
    """Say what the client is to send."""
    instance_id = request.client_instance_id
    if instance_id == NO_UUID:
        instance_id = broker.entropy.uuid()
    client = client_of(broker, context, instance_id)
    try:
        subscription = yield from broker.telemetry.subscription_of(
            instance_id, client, context.connection
        )
    except BrokerError as error:
        return GetTelemetrySubscriptionsResponse(
            error_code=error.code,
            client_instance_id=NO_UUID,
            subscription_id=0,
            accepted_compression_types=[],
            push_interval_ms=0,
            telemetry_max_bytes=0,
            delta_temporality=False,
            requested_metrics=[],
        )
    return GetTelemetrySubscriptionsResponse(
        error_code=ErrorCode.NONE,
        client_instance_id=instance_id,
        subscription_id=subscription.number,
        accepted_compression_types=list(_CODECS),
        push_interval_ms=subscription.interval_ms,
        telemetry_max_bytes=broker.config.telemetry_max_bytes,
        delta_temporality=True,
        requested_metrics=list(subscription.metrics),
    )


def client_of(broker: Broker, context: RequestContext, instance_id: bytes) -> Client:
    """The client that asks, as selectors see it."""
    software = broker.software.get(context.connection, Software())
    address, _, port = context.peer.rpartition(":")
    return Client(
        uuid_text(instance_id),
        context.client_id or "",
        software.name,
        software.version,
        address,
        port,
    )
