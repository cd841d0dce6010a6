"""ListConfigResources (key 74): what has properties of its own (KIP-714, KIP-1142).

Does: topics, this broker, subscriptions to clients' metrics, groups with properties. Without types,
    all of them. Other types are refused.
Ignores: loggers: their levels are none of the broker's properties here.
Versions: 0 subscriptions to clients' metrics only · 1 the requested types
"""

from collections.abc import Iterable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.errors import ErrorCode
from barnabas.protocol.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from barnabas.versions import VersionTable

_KINDS: tuple[int, ...] = (
    ResourceKind.TOPIC,
    ResourceKind.BROKER,
    ResourceKind.LOGGER,
    ResourceKind.CLIENT_METRICS,
    ResourceKind.GROUP,
)
_BY_VERSION = VersionTable({0: (ResourceKind.CLIENT_METRICS,), 1: _KINDS})


def handle(
    broker: Broker, context: RequestContext, request: ListConfigResourcesRequest
) -> ListConfigResourcesResponse:
    """List the resources of each requested type."""
    kinds = request.resource_types or _BY_VERSION[context.api_version]
    if not set(kinds) <= set(_KINDS):
        return ListConfigResourcesResponse(
            error_code=ErrorCode.UNSUPPORTED_VERSION, config_resources=[]
        )
    return ListConfigResourcesResponse(
        error_code=ErrorCode.NONE,
        config_resources=[
            ConfigResource(resource_name=name, resource_type=kind)
            for kind in dict.fromkeys(kinds)
            for name in _names(broker, kind)
        ],
    )


def _names(broker: Broker, kind: int) -> Iterable[str]:
    match kind:
        case ResourceKind.TOPIC:
            return (topic.name for topic in broker.topics)
        case ResourceKind.BROKER:
            return (str(broker.config.node_id),)
        case ResourceKind.LOGGER:
            return ()
        case _:
            return broker.client_resources.names(kind)
