"""AlterConfigs (key 33): replace all properties of resources, which are those of DescribeConfigs.

Does: what is not named falls back to the broker's; `validate_only`.
Ignores: nothing. Properties of the broker that cannot be changed while it runs are refused.
Versions: 2 flexible
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.requests.config_changes import change_all
from barnabas.broker.requests.config_targets import ConfigTarget
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: AlterConfigsRequest
) -> Steps[AlterConfigsResponse]:
    """Change each resource that can be changed; the others get an error message."""
    del context
    rows = yield from change_all(
        broker,
        request.resources,
        _replaced,
        AlterConfigsResourceResponse,
        validate_only=request.validate_only,
    )
    return AlterConfigsResponse(responses=rows)


def _replaced(target: ConfigTarget, asked: AlterConfigsResource) -> dict[str, str]:
    del target
    empty = [one.name for one in asked.configs if one.value is None]
    if empty:
        raise BrokerError(ErrorCode.INVALID_REQUEST, f"properties without a value: {empty}")
    return {one.name: one.value for one in asked.configs if one.value is not None}
