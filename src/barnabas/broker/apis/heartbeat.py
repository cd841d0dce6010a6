"""Heartbeat (key 12): a member of a group is alive.

Does: puts the end of its session off; says if it must join again.
Ignores: nothing.
Versions: 1 throttle time · 3 static members (KIP-345)
"""

from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.pending import RepeatableReply
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.wire.schema import maker

_response = maker(HeartbeatResponse)


def handle(
    broker: Broker, context: RequestContext, request: HeartbeatRequest
) -> HeartbeatResponse | RepeatableReply:
    """Ask the group."""
    del context
    code = _code(broker, request)
    response = _response(error_code=code)
    if code:
        return response
    return RepeatableReply(response, partial(_is_alive, broker, request), is_patient=True)


def _is_alive(broker: Broker, request: HeartbeatRequest) -> bool:
    return not _code(broker, request)


def _code(broker: Broker, request: HeartbeatRequest) -> ErrorCode:
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    try:
        return broker.members.heartbeat(
            request.group_id, request.member_id, request.group_instance_id, request.generation_id
        )
    except BrokerError as error:
        return error.code
