"""UpdateMetadata (key 6): the controller says what brokers, topics and partitions the cluster has.

Does: compares the epochs of controller, broker and partitions; what changes of this broker's replicas is
    carried out in steps.
Refuses: all of it, where this broker is no member of a cluster.
Versions: 5 broker epoch (KIP-380) · 7 topic ids (KIP-516) · 8 may name all there is (KIP-866)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.errors import ErrorCode
from barnabas.protocol.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: UpdateMetadataRequest
) -> Steps[UpdateMetadataResponse]:
    """Know it."""
    del context
    if broker.member is None:
        return UpdateMetadataResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    error = yield from broker.member.take_metadata(request)
    return UpdateMetadataResponse(error_code=error)
