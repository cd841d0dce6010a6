"""UnregisterBroker (key 64): forget a broker that will not come back (KIP-631)."""

from __future__ import annotations

from barnabas.wire.schema import Int16, Int32, String, message, on


@message(key=64, versions="0", flexible="0+")
class UnregisterBrokerRequest:
    """Forget broker `broker_id`."""

    broker_id: Int32


@message(key=64, versions="0", flexible="0+")
class UnregisterBrokerResponse:
    """What became of it."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
