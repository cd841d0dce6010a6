"""JoinGroup (key 11): become a member of a group, or say again what one can.

Does: answers when the group has agreed: at once for a member without news, else when all have joined
    or time is over. Refuses sessions shorter or longer than the broker's properties allow.
Ignores: `reason`, but for the log.
Versions: 1 rebalance timeout apart from the session's (KIP-62) · 2 throttle time · 4 the id is given
    out first (KIP-394) · 5 static members (KIP-345) · 7 protocol type, null for no protocol
    (KIP-559) · 8 reason (KIP-800) · 9 the leader may skip the assignment (KIP-814)
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.coordinators.classic_group.joining import Join
from barnabas.coordinators.classic_group.replies import JoinReply
from barnabas.errors import BrokerError, ErrorCode
from barnabas.log.file_names import uuid_text
from barnabas.protocol.join_group import JoinGroupRequest, JoinGroupResponse
from barnabas.types import new_tuple
from barnabas.versions import VersionTable
from barnabas.wire.schema import maker

log = logging.getLogger(__name__)

_response = maker(JoinGroupResponse)


def handle(broker: Broker, context: RequestContext, request: JoinGroupRequest) -> object:
    """Let the group decide."""
    spoken = _BY_VERSION[context.api_version]
    respond = spoken.respond
    if not request.group_id:
        return respond(JoinReply(ErrorCode.INVALID_GROUP_ID, request.member_id))
    config, session_ms = broker.config, request.session_timeout_ms
    shortest, longest = config.group_min_session_timeout_ms, config.group_max_session_timeout_ms
    if not shortest <= session_ms <= longest:
        return respond(JoinReply(ErrorCode.INVALID_SESSION_TIMEOUT, request.member_id))
    if request.reason:
        log.info("member joins", extra={"group": request.group_id, "reason": request.reason})
    try:
        pending = broker.members.join_again(request, respond)
        if pending is not None:
            return pending
        asked = _asked(broker, context, request, spoken)
        return broker.members.join(request.group_id, asked, respond)
    except BrokerError as error:
        return respond(JoinReply(error.code, ""))


def _asked(
    broker: Broker, context: RequestContext, request: JoinGroupRequest, spoken: "_Spoken"
) -> Join:
    member_id, instance_id = request.member_id, request.group_instance_id
    session_ms, rebalance_ms = request.session_timeout_ms, request.rebalance_timeout_ms
    client_id = context.client_id or ""
    new_id = nameless_id = ""
    if not member_id:
        name = client_id if instance_id is None else instance_id
        new_id, nameless_id = _new_ids(broker, name)
    return new_tuple(
        Join,
        (
            member_id,
            instance_id,
            new_id,
            nameless_id,
            client_id,
            context.client_host,
            session_ms,
            session_ms if rebalance_ms < 0 else rebalance_ms,
            request.protocol_type,
            tuple([(one.name, one.metadata) for one in request.protocols]),
            spoken.takes_id_first,
            spoken.skips_assignment,
        ),
    )


def _new_ids(broker: Broker, name: str) -> tuple[str, str]:
    """For a classic group and for a consumer group."""
    uuid = broker.entropy.uuid()
    text = uuid.hex()
    named = "-".join((name, text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    return named, uuid_text(uuid)


def _respond(no_protocol: str | None, reply: JoinReply) -> JoinGroupResponse:
    error, member_id, generation, protocol_type, protocol, leader, skips, members = reply
    return _response(
        error_code=error,
        generation_id=generation,
        protocol_type=protocol_type,
        protocol_name=no_protocol if protocol is None else protocol,
        leader=leader,
        skip_assignment=skips,
        member_id=member_id,
        members=list(members),
    )


class _Spoken(NamedTuple):
    """What the clients of a version know, and how they are answered."""

    takes_id_first: bool
    skips_assignment: bool
    respond: Callable[[JoinReply], JoinGroupResponse]


_NEVER_NULL, _NULL = partial(_respond, ""), partial(_respond, None)
_BY_VERSION = VersionTable(
    {
        0: _Spoken(takes_id_first=False, skips_assignment=False, respond=_NEVER_NULL),
        4: _Spoken(takes_id_first=True, skips_assignment=False, respond=_NEVER_NULL),
        7: _Spoken(takes_id_first=True, skips_assignment=False, respond=_NULL),
        9: _Spoken(takes_id_first=True, skips_assignment=True, respond=_NULL),
    }
)
