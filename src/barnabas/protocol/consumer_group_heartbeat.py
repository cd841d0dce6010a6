"""ConsumerGroupHeartbeat (key 68): be in a group whose broker assigns partitions (KIP-848).

Versions: 1 subscription by regular expression, ids made by the members (KIP-1082)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Int16,
    Int32,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=68, versions="0-1", flexible="0+")
class ConsumerGroupHeartbeatRequest:
    """Say what has changed since the last one; None and -1 say that nothing has.

    `member_epoch` is 0 to join, -1 to leave, -2 to leave as a static member that comes back.
    """

    group_id: String
    member_id: String
    member_epoch: Int32
    instance_id: String | None = on(default=None)
    rack_id: String | None = on(default=None)
    rebalance_timeout_ms: Int32 = on(default=-1)
    subscribed_topic_names: Array[String] | None = on(default=None)
    subscribed_topic_regex: String | None = on("1+", default=None)
    server_assignor: String | None = on(default=None)
    topic_partitions: Array[TopicPartitions] | None = on(default=None)


@struct
class TopicPartitions:
    """Partitions of one topic."""

    topic_id: Uuid
    partitions: Array[Int32]


@message(key=68, versions="0-1", flexible="0+")
class ConsumerGroupHeartbeatResponse:
    """The member's epoch, and its assignment where that has changed."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
    member_id: String | None = on(default=None)
    member_epoch: Int32
    heartbeat_interval_ms: Int32
    assignment: Assignment | None = on(default=None)


@struct
class Assignment:
    """All partitions that the member is to have."""

    topic_partitions: Array[TopicPartitions]
