"""ExpireDelegationToken (key 40): let a token end sooner (KIP-48). There are none.

Does: returns DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, as Kafka does without authentication.
Refuses: every token.
Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)


def handle(
    broker: Broker, context: RequestContext, request: ExpireDelegationTokenRequest
) -> ExpireDelegationTokenResponse:
    """Refuse."""
    del broker, context, request
    return ExpireDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, expiry_timestamp_ms=-1
    )
