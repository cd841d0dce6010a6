"""Heartbeat (key 12): a member of a group is alive.

Does: puts the end of its session off; says if it must join again.
Ignores: nothing.
Versions: 1 throttle time · 3 static members (KIP-345)
"""

from collections.abc import Callable

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.wire.schema import maker

_response = maker(HeartbeatResponse)


def handle(broker: Broker, context: RequestContext, request: HeartbeatRequest) -> HeartbeatResponse:
    """Ask the group."""
    del context
    if not request.group_id:
        return HeartbeatResponse(error_code=ErrorCode.INVALID_GROUP_ID)
    try:
        code = broker.members.heartbeat(
            request.group_id, request.member_id, request.group_instance_id, request.generation_id
        )
    except BrokerError as error:
        code = error.code
    return _response(error_code=code)


def steady(
    broker: Broker, context: RequestContext, request: HeartbeatRequest, reply: HeartbeatResponse
) -> Callable[[], bool] | None:
    """A short way to handle a request once more that was answered just now, if there is one.

    It gives True if the member is heard, and the reply is as it was.
    """
    del context
    if reply.error_code:
        return None
    member = broker.members.steady(request.group_id, request.member_id)
    return None if member is None else member.beat
