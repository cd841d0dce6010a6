"""ListGroups (key 16): the groups that a broker coordinates.

Versions: 1 throttle time · 3 flexible · 4 states (KIP-518) · 5 types (KIP-848)
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


@message(key=16, versions="0-5", flexible="3+")
class ListGroupsRequest:
    """List all groups, or those of some states and types."""

    states_filter: Array[String] = on("4+", factory=list)
    types_filter: Array[String] = on("5+", factory=list)


@message(key=16, versions="0-5", flexible="3+")
class ListGroupsResponse:
    """The groups."""

    throttle_time_ms: Int32 = on("1+", default=0)
    error_code: Int16
    groups: Array[ListedGroup]


@struct
class ListedGroup:
    """One group."""

    group_id: String
    protocol_type: String
    group_state: String = on("4+", default="")
    group_type: String = on("5+", default="")
