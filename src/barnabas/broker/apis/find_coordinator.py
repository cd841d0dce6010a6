"""FindCoordinator (key 10): the broker that coordinates a group or a transaction: this one, if it is alone.

Does: creates the internal topic on first use, in a cluster by a request to the controller; returns the
    leader of the key's partition.
Refuses: share partitions before version 6, and share keys other than group, topic id and partition.
Versions: 1 key types, messages · 4 several keys (KIP-699) · 6 share partitions (KIP-932)
"""

import re
from contextlib import suppress
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps_while_connected
from barnabas.broker.requests.broker_view import brokers
from barnabas.coordinators.internal_topics import OFFSETS_TOPIC, SHARES_TOPIC, TRANSACTIONS_TOPIC
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from barnabas.versions import VersionTable

_GROUP, _TRANSACTION, _SHARE = 0, 1, 2
_UNKNOWN_TYPE = ErrorCode.INVALID_REQUEST, "there is no coordinator for keys of this type"

_SEVERAL = VersionTable({0: False, 4: True})
_TYPES = VersionTable({0: (_GROUP, _TRANSACTION), 6: (_GROUP, _TRANSACTION, _SHARE)})
_TOPICS = {_GROUP: OFFSETS_TOPIC, _TRANSACTION: TRANSACTIONS_TOPIC, _SHARE: SHARES_TOPIC}
_SHARE_KEY = re.compile(r".+:[\w-]{22}:([+-]?\d{1,10})", re.ASCII)


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: FindCoordinatorRequest
) -> Steps[FindCoordinatorResponse]:
    """Find the coordinator of each key."""
    # To its end, though the client may go.
    made = broker.stepping.run(_prepared(broker, context, request))
    if isinstance(made, Pending):
        yield made
    several = _SEVERAL[context.api_version]
    if several:
        find = partial(_find, broker, context, request.key_type)
        coordinators = yield from grown(request.coordinator_keys, find)
        return FindCoordinatorResponse(coordinators=coordinators)
    found = _find(broker, context, request.key_type, request.key)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=found.error_message,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _prepared(
    broker: Broker, context: RequestContext, request: FindCoordinatorRequest
) -> Steps[None]:
    """Create the internal topic; each key learns below whether it is there."""
    key_type, known = request.key_type, _TYPES[context.api_version]
    keys = [*request.coordinator_keys, request.key]
    if key_type not in known or (key_type == _SHARE and not any(map(_is_share_key, keys))):
        return
    with suppress(BrokerError):
        if key_type == _GROUP:
            yield from broker.groups.prepare_in_steps()
        elif key_type == _SHARE:
            yield from broker.shares.coordinator.prepare_in_steps()
        else:
            yield from broker.transactions.prepare_in_steps()


def _find(broker: Broker, context: RequestContext, key_type: int, key: str) -> Coordinator:
    known = _TYPES[context.api_version]
    if key_type not in known:
        return _none(key, *_UNKNOWN_TYPE)
    if key_type == _SHARE and not _is_share_key(key):
        return _none(key, ErrorCode.INVALID_REQUEST, "a key is group:topic id:partition")
    try:
        if key_type == _GROUP:
            broker.groups.prepare()
        elif key_type == _SHARE:
            broker.shares.coordinator.prepare()
        else:
            broker.transactions.prepare()
    except BrokerError as error:
        return _none(key, error.code, str(error))
    if broker.member is not None:
        return _in_cluster(broker, context, key_type, key)
    address = broker.advertised[context.listener]
    return Coordinator(
        key=key,
        node_id=broker.config.node_id,
        host=address.host,
        port=address.port,
        error_code=ErrorCode.NONE,
        error_message=None,
    )


def _in_cluster(broker: Broker, context: RequestContext, key_type: int, key: str) -> Coordinator:
    """The leader of the partition of the internal topic that the key is of."""
    member = broker.member
    assert member is not None, "only a member of a cluster has others"
    if not member.topics.count(_TOPICS[key_type]):
        message = f"there is no topic {_TOPICS[key_type]} yet"
        return _none(key, ErrorCode.COORDINATOR_NOT_AVAILABLE, message)
    leader = member.topics.leader_of(_TOPICS[key_type], key)
    for one in brokers(broker, context.listener):
        if one.node_id == leader:
            return Coordinator(
                key=key,
                node_id=one.node_id,
                host=one.host,
                port=one.port,
                error_code=ErrorCode.NONE,
                error_message=None,
            )
    message = f"the partition of {_TOPICS[key_type]} has no leader"
    return _none(key, ErrorCode.COORDINATOR_NOT_AVAILABLE, message)


def _is_share_key(key: str) -> bool:
    found = _SHARE_KEY.fullmatch(key)
    return found is not None and -(2**31) <= int(found[1]) < 2**31


def _none(key: str, code: ErrorCode, message: str) -> Coordinator:
    return Coordinator(
        key=key, node_id=-1, host="", port=-1, error_code=code, error_message=message
    )
