"""GetTelemetrySubscriptions (key 71): which of its metrics a client is to send (KIP-714)."""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Int8, Int16, Int32, String, Uuid, message, on


@message(key=71, versions="0", flexible="0+")
class GetTelemetrySubscriptionsRequest:
    """Ask as this client; all zeros at first, it is given an id then."""

    client_instance_id: Uuid


@message(key=71, versions="0", flexible="0+")
class GetTelemetrySubscriptionsResponse:
    """Prefixes of the names of metrics ("" alone: all), how often to send, and how."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    client_instance_id: Uuid
    subscription_id: Int32
    accepted_compression_types: Array[Int8]
    push_interval_ms: Int32
    telemetry_max_bytes: Int32
    delta_temporality: Bool
    requested_metrics: Array[String]
