"""BrokerHeartbeat (key 63): a broker says that it lives, and learns what it may do (KIP-631).

Versions: 1 directories that failed (KIP-858) · 2 directories that take no new replicas (KIP-1066)
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Int16, Int32, Int64, Uuid, message, on


@message(key=63, versions="0-2", flexible="0+")
class BrokerHeartbeatRequest:
    """How far it has read the metadata, and whether it wants to be out of service or to stop."""

    broker_id: Int32
    broker_epoch: Int64 = on(default=-1)
    current_metadata_offset: Int64
    want_fence: Bool
    want_shut_down: Bool
    offline_log_dirs: Array[Uuid] = on("1+", factory=list, tag=0)
    cordoned_log_dirs: Array[Uuid] | None = on("2+", default=None, tag=1)


@message(key=63, versions="0-2", flexible="0+")
class BrokerHeartbeatResponse:
    """Whether it has caught up, is out of service, may stop."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    is_caught_up: Bool = on(default=False)
    is_fenced: Bool = on(default=True)
    should_shut_down: Bool
