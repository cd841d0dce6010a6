"""SyncGroup (key 14): the leader of a group hands out assignments, and each member gets its own.

Versions: 1 throttle time · 3 static members (KIP-345) · 4 flexible · 5 protocol type (KIP-559)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bytes,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=14, versions="0-5", flexible="4+")
class SyncGroupRequest:
    """Ask for one's assignment; the leader sends all of them."""

    group_id: String
    generation_id: Int32
    member_id: String
    group_instance_id: String | None = on("3+", default=None)
    protocol_type: String | None = on("5+", default=None)
    protocol_name: String | None = on("5+", default=None)
    assignments: Array[SyncGroupRequestAssignment]


@struct
class SyncGroupRequestAssignment:
    """What one member is to do."""

    member_id: String
    assignment: Bytes


@message(key=14, versions="0-5", flexible="4+")
class SyncGroupResponse:
    """What this member is to do."""

    throttle_time_ms: Int32 = on("1+", default=0)
    error_code: Int16
    protocol_type: String | None = on("5+", default=None)
    protocol_name: String | None = on("5+", default=None)
    assignment: Bytes
