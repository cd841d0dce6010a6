"""DescribeUserScramCredentials (key 50): which users have SCRAM passwords (KIP-554).

Does: returns mechanisms and iterations of the requested users, or of all with a password.
Ignores: nothing.
"""

from collections import Counter
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.properties.scram_credentials import credentials_of, users_with_credentials
from barnabas.broker.purgatory.stepping import Steps, in_steps_while_connected
from barnabas.errors import ErrorCode
from barnabas.ports import Registry
from barnabas.protocol.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeUserScramCredentialsRequest
) -> Steps[DescribeUserScramCredentialsResponse]:
    """Tell of each user once, also of one that is named twice."""
    del context
    asked = Counter(user.name for user in request.users or ())
    if not request.users:
        read = partial(users_with_credentials, broker.registry)
        asked.update((yield from broker.registry_calls.make(read)))
    results = []
    for name, times in asked.items():
        read_one = partial(_described, broker.registry, name)
        found = (yield from broker.registry_calls.make(read_one)) if times == 1 else None
        results.append(found or _refused(name, times))
        yield
    return DescribeUserScramCredentialsResponse(error_code=ErrorCode.NONE, results=results)


def _described(registry: Registry, name: str) -> DescribeUserScramCredentialsResult:
    found = credentials_of(registry, name)
    return DescribeUserScramCredentialsResult(
        user=name,
        error_code=ErrorCode.NONE if found else ErrorCode.RESOURCE_NOT_FOUND,
        error_message=None if found else f"{name} has no password",
        credential_infos=[
            CredentialInfo(mechanism=mechanism, iterations=credential.iterations)
            for mechanism, credential in found.items()
        ],
    )


def _refused(name: str, times: int) -> DescribeUserScramCredentialsResult:
    return DescribeUserScramCredentialsResult(
        user=name,
        error_code=ErrorCode.DUPLICATE_RESOURCE,
        error_message=f"{name} is asked for {times} times",
        credential_infos=[],
    )
