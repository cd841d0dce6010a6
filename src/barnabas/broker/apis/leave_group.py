"""LeaveGroup (key 13): take members out of a group, so that the others share what they had.

Does: takes out members by id, static ones by their instance too, as an operator does.
Ignores: `reason`, but for the log.
Versions: 1 throttle time · 3 several members, each with its own code (KIP-345) · 5 reason (KIP-800)
"""

import logging
from collections.abc import Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.coordinators.classic_group.member import Identity
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberResponse
from barnabas.versions import VersionTable

log = logging.getLogger(__name__)

_SEVERAL = VersionTable({0: False, 3: True})


def handle(broker: Broker, context: RequestContext, request: LeaveGroupRequest) -> object:
    """Take them out; up to version 2 there is one, whose code is the answer's."""
    if not request.group_id:
        return LeaveGroupResponse(error_code=ErrorCode.INVALID_GROUP_ID)
    leavers = [Identity(one.member_id, one.group_instance_id) for one in request.members]
    for one in request.members:
        if one.reason:
            log.info("member leaves", extra={"group": request.group_id, "reason": one.reason})
    several = _SEVERAL[context.api_version]
    if not several:
        leavers = [Identity(request.member_id)]

    def respond(codes: list[ErrorCode] | BrokerError) -> LeaveGroupResponse:
        if isinstance(codes, BrokerError):
            return LeaveGroupResponse(error_code=codes.code)
        if not several:
            return LeaveGroupResponse(error_code=codes[0])
        return _answer(leavers, codes)

    try:
        return broker.members.leave(request.group_id, leavers, respond)
    except BrokerError as error:
        return respond(error)


def _answer(leavers: Sequence[Identity], codes: Sequence[ErrorCode]) -> LeaveGroupResponse:
    return LeaveGroupResponse(
        error_code=ErrorCode.NONE,
        members=[
            MemberResponse(
                member_id=who.member_id, group_instance_id=who.instance_id, error_code=code
            )
            for who, code in zip(leavers, codes, strict=True)
        ],
    )
