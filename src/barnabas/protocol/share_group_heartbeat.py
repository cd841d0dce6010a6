"""ShareGroupHeartbeat (key 76): a member of a share group says that it lives (KIP-932).

Versions: 0 early access in 4.0, gone since · 1 the same layout
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Int16, Int32, String, Uuid, message, on, struct


@message(key=76, versions="0-1", flexible="0+")
class ShareGroupHeartbeatRequest:
    """Join with epoch 0, leave with -1; None: as before."""

    group_id: String
    member_id: String
    member_epoch: Int32
    rack_id: String | None = on(default=None)
    subscribed_topic_names: Array[String] | None = on(default=None)


@message(key=76, versions="0-1", flexible="0+")
class ShareGroupHeartbeatResponse:
    """The partitions that it is to read, if they changed."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    member_id: String | None = on(default=None)
    member_epoch: Int32
    heartbeat_interval_ms: Int32
    assignment: Assignment | None = on(default=None)


@struct
class Assignment:
    """Partitions by topic."""

    topic_partitions: Array[TopicPartitions]


@struct
class TopicPartitions:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[Int32]
