"""DescribeAcls (key 29): which access rules there are (KIP-140).

Kinds of resource, pattern, operation and permission are numbers; 1 in a filter means any.

Versions: 1 kinds of patterns (KIP-290) · 2 flexible · 3 users as resources (KIP-373)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, String, message, on, struct


@message(key=29, versions="0-3", flexible="2+")
class DescribeAclsRequest:
    """The rules to find; None matches any text."""

    resource_type_filter: Int8
    resource_name_filter: String | None
    pattern_type_filter: Int8 = on("1+", default=3)
    principal_filter: String | None
    host_filter: String | None
    operation: Int8
    permission_type: Int8


@message(key=29, versions="0-3", flexible="2+")
class DescribeAclsResponse:
    """The rules that match, by resource."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    resources: Array[DescribeAclsResource]


@struct
class DescribeAclsResource:
    """A resource, or all that begin with its name if the pattern is a prefix."""

    resource_type: Int8
    resource_name: String
    pattern_type: Int8 = on("1+", default=3)
    acls: Array[AclDescription]


@struct
class AclDescription:
    """One rule: who may, or must not, do what from where."""

    principal: String
    host: String
    operation: Int8
    permission_type: Int8
