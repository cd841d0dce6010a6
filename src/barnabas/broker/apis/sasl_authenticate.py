"""SaslAuthenticate (key 36): one token of an exchange that SaslHandshake began (KIP-152).

Does: says that none has begun, as Kafka does on a listener without SASL.
Refuses: every token.
Versions: 1 when to authenticate again (KIP-368), which is never · 2 flexible
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)


def handle(
    broker: Broker, context: RequestContext, request: SaslAuthenticateRequest
) -> SaslAuthenticateResponse:
    """Refuse authentication."""
    del broker, context, request
    return SaslAuthenticateResponse(
        error_code=ErrorCode.ILLEGAL_SASL_STATE,
        error_message="this listener has no authentication",
        auth_bytes=b"",
    )
