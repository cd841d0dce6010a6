"""DescribeGroups (key 15): the members of classic groups and what they do.

Versions: 1 throttle time · 3 authorised operations (KIP-430) · 4 static members (KIP-345) · 5
    flexible · 6 GROUP_ID_NOT_FOUND, messages (KIP-1043)
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


@message(key=15, versions="0-6", flexible="5+")
class DescribeGroupsRequest:
    """Describe these groups."""

    groups: Array[String]
    include_authorized_operations: Bool = on("3+", default=False)


@message(key=15, versions="0-6", flexible="5+")
class DescribeGroupsResponse:
    """Each group, or why it is not described."""

    throttle_time_ms: Int32 = on("1+", default=0)
    groups: Array[DescribedGroup]


@struct
class DescribedGroup:
    """One group. Authorised operations are a bit field; the least int32 where none were asked."""

    error_code: Int16
    error_message: String | None = on("6+", default=None)
    group_id: String
    group_state: String
    protocol_type: String
    protocol_data: String
    members: Array[DescribedGroupMember]
    authorized_operations: Int32 = on("3+", default=-(2**31))


@struct
class DescribedGroupMember:
    """One member: its identity, its metadata and its assignment."""

    member_id: String
    group_instance_id: String | None = on("4+", default=None)
    client_id: String
    client_host: String
    member_metadata: Bytes
    member_assignment: Bytes
