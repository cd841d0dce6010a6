"""DescribeAcls (key 29): which access rules there are (KIP-140). There is no authorizer.

Does: says so, as Kafka does that has none.
Ignores: the filter.
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_acls import DescribeAclsRequest, DescribeAclsResponse

NO_AUTHORIZER = "this broker has no authorizer"


def handle(
    broker: Broker, context: RequestContext, request: DescribeAclsRequest
) -> DescribeAclsResponse:
    """Say that nobody is kept from anything."""
    del broker, context, request
    return DescribeAclsResponse(
        error_code=ErrorCode.SECURITY_DISABLED, error_message=NO_AUTHORIZER, resources=[]
    )
