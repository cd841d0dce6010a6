"""JoinGroup (key 11): become a member of a group, or say again what one can.

Does: answers when the group has agreed: at once for a member without news, else when all have joined
    or time is over. Refuses sessions shorter or longer than the broker's properties allow.
Ignores: `reason`, but for the log.
Versions: 1 rebalance timeout apart from the session's (KIP-62) · 2 throttle time · 4 the id is given
    out first (KIP-394) · 5 static members (KIP-345) · 7 protocol type, null for no protocol
    (KIP-559) · 8 reason (KIP-800) · 9 the leader may skip the assignment (KIP-814)
"""

import logging

from barnabas.broker.broker import Broker
from barnabas.broker.client_host import client_host
from barnabas.broker.context import RequestContext
from barnabas.coordinators.group.joining import Join
from barnabas.coordinators.group.member import Identity
from barnabas.coordinators.group.replies import JoinReply
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupResponse,
    JoinGroupResponseMember,
)
from barnabas.versions import VersionTable

log = logging.getLogger(__name__)

_TAKES_ID_FIRST = VersionTable({0: False, 4: True})
_NO_PROTOCOL = VersionTable({0: "", 7: None})
_SKIPS_ASSIGNMENT = VersionTable({0: False, 9: True})


def handle(broker: Broker, context: RequestContext, request: JoinGroupRequest) -> object:
    """Let the group decide."""
    no_protocol = _NO_PROTOCOL[context.api_version]

    def respond(reply: JoinReply) -> JoinGroupResponse:
        return JoinGroupResponse(
            error_code=reply.error,
            generation_id=reply.generation,
            protocol_type=reply.protocol_type,
            protocol_name=no_protocol if reply.protocol is None else reply.protocol,
            leader=reply.leader,
            skip_assignment=reply.skip_assignment,
            member_id=reply.member_id,
            members=[
                JoinGroupResponseMember(
                    member_id=one.member_id,
                    group_instance_id=one.instance_id,
                    metadata=one.metadata,
                )
                for one in reply.members
            ],
        )

    refused = _refusal(broker, request)
    if refused is not None:
        return respond(JoinReply(refused, request.member_id))
    if request.reason:
        log.info("member joins", extra={"group": request.group_id, "reason": request.reason})
    try:
        return broker.members.join(request.group_id, _asked(broker, context, request), respond)
    except BrokerError as error:
        return respond(JoinReply(error.code, request.member_id))


def _refusal(broker: Broker, request: JoinGroupRequest) -> ErrorCode | None:
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    config = broker.config
    shortest, longest = config.group_min_session_timeout_ms, config.group_max_session_timeout_ms
    if not shortest <= request.session_timeout_ms <= longest:
        return ErrorCode.INVALID_SESSION_TIMEOUT
    return None


def _asked(broker: Broker, context: RequestContext, request: JoinGroupRequest) -> Join:
    session_ms, rebalance_ms = request.session_timeout_ms, request.rebalance_timeout_ms
    client_id = context.client_id or ""
    name = client_id if request.group_instance_id is None else request.group_instance_id
    return Join(
        who=Identity(request.member_id, request.group_instance_id),
        new_id="" if request.member_id else f"{name}-{_uuid(broker.entropy.uuid())}",
        client_id=client_id,
        client_host=client_host(context),
        session_timeout_ms=session_ms,
        rebalance_timeout_ms=session_ms if rebalance_ms < 0 else rebalance_ms,
        protocol_type=request.protocol_type,
        protocols=tuple((one.name, bytes(one.metadata)) for one in request.protocols),
        takes_id_first=_TAKES_ID_FIRST[context.api_version],
        skips_assignment=_SKIPS_ASSIGNMENT[context.api_version],
    )


def _uuid(data: bytes) -> str:
    text = data.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
