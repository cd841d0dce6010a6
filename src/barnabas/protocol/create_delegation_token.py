"""CreateDelegationToken (key 38): a token to act as somebody for a while (KIP-48).

Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible · 3 for another than the
    one who asks (KIP-373)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bytes, Int16, Int32, Int64, String, message, on, struct


@message(key=38, versions="0-3", flexible="2+")
class CreateDelegationTokenRequest:
    """Whom it is for (None: who asks), who may renew it, and for how long at most."""

    owner_principal_type: String | None = on("3+", default=None)
    owner_principal_name: String | None = on("3+", default=None)
    renewers: Array[CreatableRenewers]
    max_lifetime_ms: Int64


@struct
class CreatableRenewers:
    """Somebody who may renew it."""

    principal_type: String
    principal_name: String


@message(key=38, versions="0-3", flexible="2+")
class CreateDelegationTokenResponse:
    """The token: `hmac` is the secret."""

    error_code: Int16
    principal_type: String
    principal_name: String
    token_requester_principal_type: String = on("3+", default="")
    token_requester_principal_name: String = on("3+", default="")
    issue_timestamp_ms: Int64
    expiry_timestamp_ms: Int64
    max_timestamp_ms: Int64
    token_id: String
    hmac: Bytes
    throttle_time_ms: Int32 = on(default=0)
