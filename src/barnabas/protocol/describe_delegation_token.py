"""DescribeDelegationToken (key 41): which tokens there are (KIP-48).

Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible · 3 who asked for it
    (KIP-373)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bytes, Int16, Int32, Int64, String, message, on, struct


@message(key=41, versions="0-3", flexible="2+")
class DescribeDelegationTokenRequest:
    """Those of these owners, or all that one may see (`owners` is None)."""

    owners: Array[DescribeDelegationTokenOwner] | None


@struct
class DescribeDelegationTokenOwner:
    """One owner."""

    principal_type: String
    principal_name: String


@message(key=41, versions="0-3", flexible="2+")
class DescribeDelegationTokenResponse:
    """The tokens."""

    error_code: Int16
    tokens: Array[DescribedDelegationToken]
    throttle_time_ms: Int32 = on(default=0)


@struct
class DescribedDelegationToken:
    """One token; times in milliseconds since 1970."""

    principal_type: String
    principal_name: String
    token_requester_principal_type: String = on("3+", default="")
    token_requester_principal_name: String = on("3+", default="")
    issue_timestamp: Int64
    expiry_timestamp: Int64
    max_timestamp: Int64
    token_id: String
    hmac: Bytes
    renewers: Array[DescribedDelegationTokenRenewer]


@struct
class DescribedDelegationTokenRenewer:
    """Somebody who may renew it."""

    principal_type: String
    principal_name: String
