"""LeaveGroup (key 13): members leave a group, and the others rebalance.

Versions: 1 throttle time · 3 several members, also static ones (KIP-345) · 4 flexible · 5 reason
(KIP-800)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=13, versions="0-5", flexible="4+")
class LeaveGroupRequest:
    """The members that leave: one up to version 2, then several."""

    group_id: String
    member_id: String = on("0-2", default="")
    members: Array[MemberIdentity] = on("3+", factory=list)


@struct
class MemberIdentity:
    """One member, by its id or its instance."""

    member_id: String = on("3+", default="")
    group_instance_id: String | None = on("3+", default=None)
    reason: String | None = on("5+", default=None)


@message(key=13, versions="0-5", flexible="4+")
class LeaveGroupResponse:
    """Whether they left, since version 3 each of them."""

    throttle_time_ms: Int32 = on("1+", default=0)
    error_code: Int16
    members: Array[MemberResponse] = on("3+", factory=list)


@struct
class MemberResponse:
    """One member: whether it left."""

    member_id: String = on("3+", default="")
    group_instance_id: String | None = on("3+", default="")
    error_code: Int16 = on("3+", default=0)
