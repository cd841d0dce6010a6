"""Heartbeat (key 12): a member of a group is alive.

Versions: 1 throttle time · 3 static members (KIP-345) · 4 flexible
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Int16,
    Int32,
    String,
    message,
    on,
)


@message(key=12, versions="0-4", flexible="4+")
class HeartbeatRequest:
    """Say so, and which generation one is of."""

    group_id: String
    generation_id: Int32
    member_id: String
    group_instance_id: String | None = on("3+", default=None)


@message(key=12, versions="0-4", flexible="4+")
class HeartbeatResponse:
    """Whether the group goes on, or everybody has to join again."""

    throttle_time_ms: Int32 = on("1+", default=0)
    error_code: Int16
