"""ConsumerGroupDescribe (key 69): the members of groups whose broker assigns partitions (KIP-848).

Versions: 1 types of members (KIP-1099)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int8,
    Int16,
    Int32,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=69, versions="0-1", flexible="0+")
class ConsumerGroupDescribeRequest:
    """Describe these groups."""

    group_ids: Array[String]
    include_authorized_operations: Bool


@message(key=69, versions="0-1", flexible="0+")
class ConsumerGroupDescribeResponse:
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
    """One member: what it subscribed to, what it has and what it is to have."""

    member_id: String
    instance_id: String | None = on(default=None)
    rack_id: String | None = on(default=None)
    member_epoch: Int32
    client_id: String
    client_host: String
    subscribed_topic_names: Array[String]
    subscribed_topic_regex: String | None = on(default=None)
    assignment: Assignment
    target_assignment: Assignment
    member_type: Int8 = on("1+", default=-1)


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
