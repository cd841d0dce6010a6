"""DescribeDelegationToken (key 41): which tokens there are (KIP-48). There are none.

Does: returns DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, as Kafka does without authentication.
Ignores: the owners in the request.
Versions: 1 answered before the client is throttled (KIP-219) · 2 flexible · 3 requesters (KIP-373)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_delegation_token import (
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)


def handle(
    broker: Broker, context: RequestContext, request: DescribeDelegationTokenRequest
) -> DescribeDelegationTokenResponse:
    """Refuse."""
    del broker, context, request
    return DescribeDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, tokens=[]
    )
