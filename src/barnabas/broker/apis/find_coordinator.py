"""FindCoordinator (key 10): the broker that coordinates a group or a transaction: this one.

Does: makes the internal topic on first use.
Refuses: share partitions, until there is a coordinator for them.
Versions: 1 key types, messages · 4 several keys (KIP-699) · 6 share partitions (KIP-932)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from barnabas.versions import VersionTable

_GROUP, _TRANSACTION = 0, 1
_UNKNOWN_TYPE = ErrorCode.INVALID_REQUEST, "there is no coordinator for keys of this type"

_SEVERAL = VersionTable({0: False, 4: True})


def handle(
    broker: Broker, context: RequestContext, request: FindCoordinatorRequest
) -> FindCoordinatorResponse:
    """Find the coordinator of each key."""
    several = _SEVERAL[context.api_version]
    if several:
        keys = request.coordinator_keys
        return FindCoordinatorResponse(
            coordinators=[_find(broker, context, request.key_type, key) for key in keys]
        )
    found = _find(broker, context, request.key_type, request.key)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=found.error_message,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _find(broker: Broker, context: RequestContext, key_type: int, key: str) -> Coordinator:
    if key_type not in (_GROUP, _TRANSACTION):
        return _none(key, *_UNKNOWN_TYPE)
    try:
        if key_type == _GROUP:
            broker.groups.prepare()
        else:
            broker.transactions.prepare()
    except BrokerError as error:
        return _none(key, error.code, str(error))
    address = broker.advertised[context.listener]
    return Coordinator(
        key=key,
        node_id=broker.config.node_id,
        host=address.host,
        port=address.port,
        error_code=ErrorCode.NONE,
        error_message=None,
    )


def _none(key: str, code: ErrorCode, message: str) -> Coordinator:
    return Coordinator(
        key=key, node_id=-1, host="", port=-1, error_code=code, error_message=message
    )
