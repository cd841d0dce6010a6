"""DescribeUserScramCredentials (key 50): which users have SCRAM passwords (KIP-554). None has.

Does: says so of each user that is asked for; of all users it has nothing to tell.
Ignores: nothing.
"""

from collections import Counter

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)


def handle(
    broker: Broker, context: RequestContext, request: DescribeUserScramCredentialsRequest
) -> DescribeUserScramCredentialsResponse:
    """Tell of each user once, also of one that is named twice."""
    del broker, context
    asked = Counter(user.name for user in request.users or ())
    return DescribeUserScramCredentialsResponse(
        error_code=ErrorCode.NONE,
        results=[
            DescribeUserScramCredentialsResult(
                user=name,
                error_code=ErrorCode.RESOURCE_NOT_FOUND
                if times == 1
                else ErrorCode.DUPLICATE_RESOURCE,
                error_message=f"{name} has no password"
                if times == 1
                else f"{name} is asked for {times} times",
                credential_infos=[],
            )
            for name, times in asked.items()
        ],
    )
