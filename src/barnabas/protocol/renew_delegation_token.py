"""RenewDelegationToken (key 39): let a token live on (KIP-48).

Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import Bytes, Int16, Int32, Int64, message, on


@message(key=39, versions="0-2", flexible="2+")
class RenewDelegationTokenRequest:
    """The token's secret, and for how long; -1 as long as the broker likes."""

    hmac: Bytes
    renew_period_ms: Int64


@message(key=39, versions="0-2", flexible="2+")
class RenewDelegationTokenResponse:
    """When it ends now."""

    error_code: Int16
    expiry_timestamp_ms: Int64
    throttle_time_ms: Int32 = on(default=0)
