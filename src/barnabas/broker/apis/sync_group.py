"""SyncGroup (key 14): the leader sends the assignment, and each member receives its part.

Does: responds when the leader has sent the assignment and it is written.
Ignores: nothing.
Versions: 1 throttle time · 3 static members (KIP-345) · 5 the protocol must be named, and be the
    group's (KIP-559)
"""

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.coordinators.classic_group.replies import SyncReply
from barnabas.coordinators.classic_group.syncing import Sync
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.sync_group import SyncGroupRequest, SyncGroupResponse
from barnabas.versions import VersionTable
from barnabas.wire.schema import maker

_response = maker(SyncGroupResponse)

_NAMES_PROTOCOL = VersionTable({0: False, 5: True})


def handle(broker: Broker, context: RequestContext, request: SyncGroupRequest) -> object:
    """Let the group answer."""
    must_name = _NAMES_PROTOCOL[context.api_version]
    if must_name and None in {request.protocol_type, request.protocol_name}:
        return _respond(SyncReply(ErrorCode.INCONSISTENT_GROUP_PROTOCOL))
    if not request.group_id:
        return _respond(SyncReply(ErrorCode.INVALID_GROUP_ID))
    try:
        members = broker.members
        outcome = members.sync_as_usual(request, _respond)
        if outcome is not None:
            return outcome
        return members.sync(request.group_id, _asked(request), _respond)
    except BrokerError as error:
        return _respond(SyncReply(error.code))


def _asked(request: SyncGroupRequest) -> Sync:
    return Sync(
        request.member_id,
        request.group_instance_id,
        request.generation_id,
        request.protocol_type,
        request.protocol_name,
        {one.member_id: one.assignment for one in request.assignments},
    )


def _respond(reply: SyncReply) -> SyncGroupResponse:
    error, protocol_type, protocol, assignment = reply
    return _response(
        error_code=error,
        protocol_type=protocol_type,
        protocol_name=protocol,
        assignment=assignment,
    )
