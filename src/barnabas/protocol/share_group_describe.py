"""ShareGroupDescribe (key 77): the members of share groups (KIP-932).

Versions: 0 early access in 4.0, gone since · 1 the same layout
"""

from __future__ import annotations

from barnabas.wire.schema import Array, Bool, Int16, Int32, String, Uuid, message, on, struct


@message(key=77, versions="0-1", flexible="0+")
class ShareGroupDescribeRequest:
    """Describe these groups."""

    group_ids: Array[String]
    include_authorized_operations: Bool


@message(key=77, versions="0-1", flexible="0+")
class ShareGroupDescribeResponse:
    """Each group, or why it is not described."""

    throttle_time_ms: Int32 = on(default=0)
    groups: Array[DescribedGroup]


@struct
class DescribedGroup:
    """One group. Authorised operations are a bit field; the least int32 where none were asked."""

    error_code: Int16
    error_message: String | None = on(default=None)
    group_id: String
    group_state: String
    group_epoch: Int32
    assignment_epoch: Int32
    assignor_name: String
    members: Array[Member]
    authorized_operations: Int32 = on(default=-(2**31))


@struct
class Member:
    """One member: what it subscribed to and what it has."""

    member_id: String
    rack_id: String | None = on(default=None)
    member_epoch: Int32
    client_id: String
    client_host: String
    subscribed_topic_names: Array[String]
    assignment: Assignment


@struct
class Assignment:
    """Partitions by topic."""

    topic_partitions: Array[TopicPartitions]


@struct
class TopicPartitions:
    """Partitions of one topic."""

    topic_id: Uuid
    topic_name: String
    partitions: Array[Int32]
