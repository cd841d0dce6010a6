"""CreateAcls (key 30): add access rules (KIP-140). There is no authorizer to obey them.

Does: returns that error for each rule, as Kafka does without an authorizer.
Refuses: every rule.
"""

from barnabas.broker.apis.describe_acls import NO_AUTHORIZER
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.create_acls import (
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)


def handle(
    broker: Broker, context: RequestContext, request: CreateAclsRequest
) -> CreateAclsResponse:
    """Refuse each."""
    del broker, context
    return CreateAclsResponse(
        results=[
            AclCreationResult(error_code=ErrorCode.SECURITY_DISABLED, error_message=NO_AUTHORIZER)
            for _ in request.creations
        ]
    )
