"""AlterConfigs (key 33): replace all properties of topics.

Does: what is not named falls back to the broker's; `validate_only`.
Ignores: nothing. The broker's own properties cannot be changed while it runs.
Versions: 2 flexible
"""

from collections import Counter

from barnabas.broker import resources
from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)


def handle(
    broker: Broker, context: RequestContext, request: AlterConfigsRequest
) -> AlterConfigsResponse:
    """Change each resource that can be changed; say why the others cannot."""
    del context
    times = Counter((one.resource_type, one.resource_name) for one in request.resources)
    responses = []
    for one in request.resources:
        code, why = ErrorCode.NONE, None
        try:
            if times[one.resource_type, one.resource_name] > 1:
                raise BrokerError(ErrorCode.INVALID_REQUEST, "the resource is there twice")
            _alter(broker, one, validate_only=request.validate_only)
        except KafkaError as error:
            code, why = error.code, error.why
        responses.append(
            AlterConfigsResourceResponse(
                error_code=code,
                error_message=why,
                resource_type=one.resource_type,
                resource_name=one.resource_name,
            )
        )
    return AlterConfigsResponse(responses=responses)


def _alter(broker: Broker, asked: AlterConfigsResource, *, validate_only: bool) -> None:
    topic = resources.alterable(broker, asked.resource_type, asked.resource_name)
    empty = [one.name for one in asked.configs if one.value is None]
    if empty:
        raise BrokerError(ErrorCode.INVALID_REQUEST, f"properties without a value: {empty}")
    config = {one.name: one.value for one in asked.configs if one.value is not None}
    if len(config) < len(asked.configs):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "a property is there twice")
    broker.topics.check_config(config)
    if not validate_only:
        broker.topics.configure(topic.name, config)
