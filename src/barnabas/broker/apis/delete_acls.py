"""DeleteAcls (key 31): remove access rules (KIP-140). There is no authorizer that has any.

Does: says so for each filter, as Kafka does that has none.
Ignores: what the filters say.
"""

from barnabas.broker.apis.describe_acls import NO_AUTHORIZER
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.delete_acls import (
    DeleteAclsFilterResult,
    DeleteAclsRequest,
    DeleteAclsResponse,
)


def handle(
    broker: Broker, context: RequestContext, request: DeleteAclsRequest
) -> DeleteAclsResponse:
    """Find nothing for each."""
    del broker, context
    return DeleteAclsResponse(
        filter_results=[
            DeleteAclsFilterResult(
                error_code=ErrorCode.SECURITY_DISABLED,
                error_message=NO_AUTHORIZER,
                matching_acls=[],
            )
            for _ in request.filters
        ]
    )
