"""DeleteAcls (key 31): remove access rules (KIP-140).

Versions: 1 kinds of patterns (KIP-290) · 2 flexible · 3 users as resources (KIP-373)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, String, message, on, struct


@message(key=31, versions="0-3", flexible="2+")
class DeleteAclsRequest:
    """Which to remove."""

    filters: Array[DeleteAclsFilter]


@struct
class DeleteAclsFilter:
    """All rules that match; None matches any text."""

    resource_type_filter: Int8
    resource_name_filter: String | None
    pattern_type_filter: Int8 = on("1+", default=3)
    principal_filter: String | None
    host_filter: String | None
    operation: Int8
    permission_type: Int8


@message(key=31, versions="0-3", flexible="2+")
class DeleteAclsResponse:
    """What became of each filter, in their order."""

    throttle_time_ms: Int32 = on(default=0)
    filter_results: Array[DeleteAclsFilterResult]


@struct
class DeleteAclsFilterResult:
    """The rules that one filter matched."""

    error_code: Int16
    error_message: String | None = on(default=None)
    matching_acls: Array[DeleteAclsMatchingAcl]


@struct
class DeleteAclsMatchingAcl:
    """A rule that was removed, or why it was not."""

    error_code: Int16
    error_message: String | None = on(default=None)
    resource_type: Int8
    resource_name: String
    pattern_type: Int8 = on("1+", default=3)
    principal: String
    host: String
    operation: Int8
    permission_type: Int8
