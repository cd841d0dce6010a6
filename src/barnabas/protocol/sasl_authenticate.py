"""SaslAuthenticate (key 36): one token of the exchange that SaslHandshake began (KIP-152).

Versions: 1 when to authenticate again (KIP-368) · 2 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import Bytes, Int16, Int64, String, message, on


@message(key=36, versions="0-2", flexible="2+")
class SaslAuthenticateRequest:
    """What the mechanism has to say."""

    auth_bytes: Bytes


@message(key=36, versions="0-2", flexible="2+")
class SaslAuthenticateResponse:
    """What the broker replies; life 0: the session does not end."""

    error_code: Int16
    error_message: String | None = on(default=None)
    auth_bytes: Bytes
    session_lifetime_ms: Int64 = on("1+", default=0)
