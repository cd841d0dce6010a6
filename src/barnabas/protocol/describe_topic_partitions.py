"""DescribeTopicPartitions (key 75): topics with their partitions, a page at a time (KIP-966)."""

from __future__ import annotations

from barnabas.wire.schema import (
    Array,
    Bool,
    Int16,
    Int32,
    String,
    Uuid,
    message,
    on,
    struct,
)


@message(key=75, versions="0", flexible="0+")
class DescribeTopicPartitionsRequest:
    """Ask for topics (none: all), from a cursor on."""

    topics: Array[TopicRequest]
    response_partition_limit: Int32 = on(default=2000)
    cursor: Cursor | None = on(default=None)


@struct
class TopicRequest:
    """One topic."""

    name: String


@struct
class Cursor:
    """The topic and partition that the next page starts with."""

    topic_name: String
    partition_index: Int32


@message(key=75, versions="0", flexible="0+")
class DescribeTopicPartitionsResponse:
    """One page."""

    throttle_time_ms: Int32 = on(default=0)
    topics: Array[DescribeTopicPartitionsResponseTopic]
    next_cursor: Cursor | None = on(default=None)


@struct
class DescribeTopicPartitionsResponseTopic:
    """One topic, or why there is none."""

    error_code: Int16
    name: String | None
    topic_id: Uuid
    is_internal: Bool = on(default=False)
    partitions: Array[DescribeTopicPartitionsResponsePartition]
    topic_authorized_operations: Int32 = on(default=-(2**31))


@struct
class DescribeTopicPartitionsResponsePartition:
    """Leader and replicas of one partition, with those that may yet be elected."""

    error_code: Int16
    partition_index: Int32
    leader_id: Int32
    leader_epoch: Int32 = on(default=-1)
    replica_nodes: Array[Int32]
    isr_nodes: Array[Int32]
    eligible_leader_replicas: Array[Int32] | None = on(default=None)
    last_known_elr: Array[Int32] | None = on(default=None)
    offline_replicas: Array[Int32]
