"""JoinGroup (key 11): become a member of a group that agrees on a protocol among its members.

Versions: 1 rebalance timeout apart from the session's (KIP-62) · 2 throttle time · 4 the id is
    given out first, with MEMBER_ID_REQUIRED (KIP-394) · 5 static members (KIP-345) · 6 flexible · 7
    protocol type (KIP-559) · 8 reason (KIP-800) · 9 the leader may skip the assignment (KIP-814)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Bytes,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=11, versions="0-9", flexible="6+")
class JoinGroupRequest:
    """Join, or say again what one can; `member_id` is empty at first."""

    group_id: String
    session_timeout_ms: Int32
    rebalance_timeout_ms: Int32 = on("1+", default=-1)
    member_id: String
    group_instance_id: String | None = on("5+", default=None)
    protocol_type: String
    protocols: Array[JoinGroupRequestProtocol]
    reason: String | None = on("8+", default=None)


@struct
class JoinGroupRequestProtocol:
    """One protocol (an assignor, for consumers) with what it wants to tell the leader."""

    name: String
    metadata: Bytes


@message(key=11, versions="0-9", flexible="6+")
class JoinGroupResponse:
    """The generation, the protocol chosen, and to the leader alone all members."""

    throttle_time_ms: Int32 = on("2+", default=0)
    error_code: Int16
    generation_id: Int32 = on(default=-1)
    protocol_type: String | None = on("7+", default=None)
    protocol_name: String | None = on(nullable="7+")
    leader: String
    skip_assignment: Bool = on("9+", default=False)
    member_id: String
    members: Array[JoinGroupResponseMember]


@struct
class JoinGroupResponseMember:
    """One member, with its metadata for the chosen protocol."""

    member_id: String
    group_instance_id: String | None = on("5+", default=None)
    metadata: Bytes
