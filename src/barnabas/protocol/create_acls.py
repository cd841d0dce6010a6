"""CreateAcls (key 30): add access rules (KIP-140).

Versions: 1 kinds of patterns (KIP-290) · 2 flexible · 3 users as resources (KIP-373)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int8, Int16, Int32, String, message, on, struct


@message(key=30, versions="0-3", flexible="2+")
class CreateAclsRequest:
    """The rules to add."""

    creations: Array[AclCreation]


@struct
class AclCreation:
    """One rule: who may, or must not, do what from where."""

    resource_type: Int8
    resource_name: String
    resource_pattern_type: Int8 = on("1+", default=3)
    principal: String
    host: String
    operation: Int8
    permission_type: Int8


@message(key=30, versions="0-3", flexible="2+")
class CreateAclsResponse:
    """What became of each, in their order."""

    throttle_time_ms: Int32 = on(default=0)
    results: Array[AclCreationResult]


@struct
class AclCreationResult:
    """One rule."""

    error_code: Int16
    error_message: String | None = on(default=None)
