"""SaslHandshake (key 17): choose how to prove who one is (KIP-43).

Versions: 0 tokens follow as bare frames, a size and bytes · 1 tokens follow in SaslAuthenticate
    (KIP-152)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, String, message


@message(key=17, versions="0-1")
class SaslHandshakeRequest:
    """Use this mechanism, such as PLAIN or SCRAM-SHA-256."""

    mechanism: String


@message(key=17, versions="0-1")
class SaslHandshakeResponse:
    """The mechanisms that there are, also where the chosen one is not among them."""

    error_code: Int16
    mechanisms: Array[String]
