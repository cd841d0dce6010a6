"""ExpireDelegationToken (key 40): let a token end sooner (KIP-48).

Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import Bytes, Int16, Int32, Int64, message, on


@message(key=40, versions="0-2", flexible="2+")
class ExpireDelegationTokenRequest:
    """The token's secret, and when; a negative period ends it at once."""

    hmac: Bytes
    expiry_time_period_ms: Int64


@message(key=40, versions="0-2", flexible="2+")
class ExpireDelegationTokenResponse:
    """When it ends now."""

    error_code: Int16
    expiry_timestamp_ms: Int64
    throttle_time_ms: Int32 = on(default=0)
