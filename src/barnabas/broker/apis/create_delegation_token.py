"""CreateDelegationToken (key 38): create a token that authenticates for a limited time (KIP-48).

Does: returns DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, as Kafka does without authentication.
Refuses: every request.
Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible · 3 owners (KIP-373)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)

_KIND, _NAME = "User", "ANONYMOUS"


def handle(
    broker: Broker, context: RequestContext, request: CreateDelegationTokenRequest
) -> CreateDelegationTokenResponse:
    """Refuse to make one."""
    del broker, context
    named = request.owner_principal_name
    return CreateDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
        principal_type=request.owner_principal_type or _KIND,
        principal_name=named or _NAME,
        token_requester_principal_type=_KIND,
        token_requester_principal_name=_NAME,
        issue_timestamp_ms=-1,
        expiry_timestamp_ms=-1,
        max_timestamp_ms=-1,
        token_id="",
        hmac=b"",
    )
