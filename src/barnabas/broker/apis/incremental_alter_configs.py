"""IncrementalAlterConfigs (key 44): change single properties of resources (KIP-339).

Does: set, delete, append to and subtract from lists; `validate_only`.
Ignores: nothing. Properties of the broker that cannot be changed while it runs are refused.
Versions: 1 flexible
"""

from enum import IntEnum

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, in_steps
from barnabas.broker.requests.config_changes import change_all
from barnabas.broker.requests.config_targets import ConfigTarget
from barnabas.config.parsing import Kind
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)


class _Operation(IntEnum):
    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


_OPERATIONS = frozenset(_Operation)


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: IncrementalAlterConfigsRequest
) -> Steps[IncrementalAlterConfigsResponse]:
    """Change each resource that can be changed; the others get an error message."""
    del context
    rows = yield from change_all(
        broker,
        request.resources,
        _changed,
        AlterConfigsResourceResponse,
        validate_only=request.validate_only,
    )
    return IncrementalAlterConfigsResponse(responses=rows)


def _changed(target: ConfigTarget, asked: AlterConfigsResource) -> dict[str, str]:
    config = dict(target.own)
    for one in asked.configs:
        _change(target, config, one)
    return config


def _change(target: ConfigTarget, config: dict[str, str], asked: AlterableConfig) -> None:
    name, value = asked.name, asked.value
    if asked.config_operation not in _OPERATIONS:
        raise BrokerError(
            ErrorCode.INVALID_REQUEST, f"there is no operation {asked.config_operation}"
        )
    operation = _Operation(asked.config_operation)
    if operation is _Operation.DELETE:
        config.pop(name, None)
        return
    if value is None:
        raise BrokerError(ErrorCode.INVALID_REQUEST, f"property {name} is without a value")
    if operation is _Operation.SET:
        config[name] = value
        return
    row = target.row(name)
    if row is None or row.kind is not Kind.LIST:
        raise BrokerError(ErrorCode.INVALID_CONFIG, f"{name} is not a list")
    present = row.parse(config[name]) if name in config else target.inherited(row)
    assert isinstance(present, tuple)
    config[name] = _changed_list(present, value, operation)


def _changed_list(words: tuple[str, ...], value: str, operation: _Operation) -> str:
    given = [word.strip() for word in value.split(",") if word.strip()]
    there, named = frozenset(words), frozenset(given)
    if operation is _Operation.APPEND:
        return ",".join([*words, *(word for word in given if word not in there)])
    return ",".join(word for word in words if word not in named)
