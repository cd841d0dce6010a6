"""DescribeCluster (key 60): the broker, its cluster's id, and what one may do with the cluster.

Does: authorised operations where requested: all, as there is no authorizer.
Ignores: `include_fenced_brokers`: a broker that answers is not fenced.
Versions: 1 endpoint types: controllers have no endpoint here (KIP-919) · 2 fenced brokers (KIP-1073)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.requests.authorized_operations import NOT_ASKED, ON_CLUSTER
from barnabas.broker.requests.broker_view import brokers, controller, until_known
from barnabas.errors import ErrorCode
from barnabas.protocol.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

_BROKERS, _CONTROLLERS = 1, 2


def handle(
    broker: Broker, context: RequestContext, request: DescribeClusterRequest
) -> DescribeClusterResponse | Pending:
    """Describe the cluster, which is this broker if it is alone."""
    if request.endpoint_type != _BROKERS:
        known = request.endpoint_type == _CONTROLLERS
        return DescribeClusterResponse(
            error_code=ErrorCode.MISMATCHED_ENDPOINT_TYPE
            if known
            else ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
            error_message="this is the endpoint of a broker",
            cluster_id="",
            brokers=[],
        )
    return broker.stepping.run(_describe(broker, context, request), ends_when_disconnected=True)


def _describe(
    broker: Broker, context: RequestContext, request: DescribeClusterRequest
) -> Steps[DescribeClusterResponse]:
    yield until_known(broker)
    asked = request.include_cluster_authorized_operations
    return DescribeClusterResponse(
        error_code=ErrorCode.NONE,
        cluster_id=broker.cluster_id,
        controller_id=controller(broker),
        brokers=[
            DescribeClusterBroker(
                broker_id=node_id, host=host, port=port, rack=rack, is_fenced=False
            )
            for node_id, host, port, rack in brokers(broker, context.listener)
        ],
        cluster_authorized_operations=ON_CLUSTER if asked else NOT_ASKED,
    )
