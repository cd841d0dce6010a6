"""PushTelemetry (key 72): a client sends its metrics (KIP-714)."""

from __future__ import annotations

from barnabas.wire.schema import Bool, Bytes, Int8, Int16, Int32, Uuid, message, on


@message(key=72, versions="0", flexible="0+")
class PushTelemetryRequest:
    """Metrics as OpenTelemetry's MetricsData, compressed by `compression_type`."""

    client_instance_id: Uuid
    subscription_id: Int32
    terminating: Bool
    compression_type: Int8
    metrics: Bytes


@message(key=72, versions="0", flexible="0+")
class PushTelemetryResponse:
    """Whether they were taken."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
