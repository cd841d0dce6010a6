"""RenewDelegationToken (key 39): extend the lifetime of a token (KIP-48). There are none.

Does: returns DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, as Kafka does without authentication.
Refuses: every token.
Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)


def handle(
    broker: Broker, context: RequestContext, request: RenewDelegationTokenRequest
) -> RenewDelegationTokenResponse:
    """Refuse."""
    del broker, context, request
    return RenewDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, expiry_timestamp_ms=-1
    )
