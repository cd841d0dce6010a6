"""DeleteGroups (key 42): delete groups without members, with their offsets (KIP-229).

Versions: 1 throttling before the answer · 2 flexible · 3 messages (KIP-1043)
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


@message(key=42, versions="0-3", flexible="2+")
class DeleteGroupsRequest:
    """Delete these groups."""

    groups_names: Array[String]


@message(key=42, versions="0-3", flexible="2+")
class DeleteGroupsResponse:
    """What became of each group."""

    throttle_time_ms: Int32 = on(default=0)
    results: Array[DeletableGroupResult]


@struct
class DeletableGroupResult:
    """One group: deleted, or why not."""

    group_id: String
    error_code: Int16
    error_message: String | None = on("3+", default=None)
