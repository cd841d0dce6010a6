"""FindCoordinator (key 10): the broker that coordinates a group or a transactional id.

Key types: 0 group, 1 transactional id, 2 share partition ("group:topic id:partition").

Versions: 1 key types, messages · 3 flexible · 4 several keys (KIP-699) · 5 TRANSACTION_ABORTABLE
    · 6 share (KIP-932)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Int8,
    Int16,
    Int32,
    String,
    message,
    on,
    struct,
)


@message(key=10, versions="0-6", flexible="3+")
class FindCoordinatorRequest:
    """Ask for the coordinator of `key`, since version 4 of each of `coordinator_keys`."""

    key: String = on("0-3", default="")
    key_type: Int8 = on("1+", default=0)
    coordinator_keys: Array[String] = on("4+", factory=list)


@message(key=10, versions="0-6", flexible="3+")
class FindCoordinatorResponse:
    """The coordinator; since version 4 one for each key."""

    throttle_time_ms: Int32 = on("1+", default=0)
    error_code: Int16 = on("0-3", default=0)
    error_message: String | None = on("1-3", default=None)
    node_id: Int32 = on("0-3", default=0)
    host: String = on("0-3", default="")
    port: Int32 = on("0-3", default=0)
    coordinators: Array[Coordinator] = on("4+", factory=list)


@struct
class Coordinator:
    """The broker that coordinates one key, or why there is none."""

    key: String
    node_id: Int32
    host: String
    port: Int32
    error_code: Int16
    error_message: String | None
