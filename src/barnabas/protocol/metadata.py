"""Metadata (key 3): the brokers, and topics with their partitions and leaders.

Versions: 0 no topics means all · 1 null means all, none means none · 4 auto-creation can be
    refused · 5 offline replicas (KIP-112) · 7 leader epochs (KIP-320) · 8 authorised operations
    (KIP-430) · 9 flexible · 10 topic ids in both · 11 cluster operations moved to DescribeCluster
    · 12 ask by topic id · 13 top-level error
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
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


@message(key=3, versions="0-13", flexible="9+")
class MetadataRequest:
    """Ask for all topics (`topics` is None, in version 0 empty) or for some."""

    topics: Array[MetadataRequestTopic] | None = on(nullable="1+")
    allow_auto_topic_creation: Bool = on("4+", default=True)
    include_cluster_authorized_operations: Bool = on("8-10", default=False)
    include_topic_authorized_operations: Bool = on("8+", default=False)


@struct
class MetadataRequestTopic:
    """One topic, by name or, since version 12, by id with name None."""

    topic_id: Uuid = on("10+", default=NO_UUID)
    name: String | None = on(nullable="10+")


@message(key=3, versions="0-13", flexible="9+")
class MetadataResponse:
    """The cluster as this broker knows it.

    Authorised operations are bit fields by the number of the operation; the least int32 means that
    none were asked.
    """

    throttle_time_ms: Int32 = on("3+", default=0)
    brokers: Array[MetadataResponseBroker]
    cluster_id: String | None = on("2+", default=None)
    controller_id: Int32 = on("1+", default=-1)
    topics: Array[MetadataResponseTopic]
    cluster_authorized_operations: Int32 = on("8-10", default=-(2**31))
    error_code: Int16 = on("13+", default=0)


@struct
class MetadataResponseBroker:
    """One broker and the address it advertises on the listener that was asked."""

    node_id: Int32
    host: String
    port: Int32
    rack: String | None = on("1+", default=None)


@struct
class MetadataResponseTopic:
    """One topic, or why there is none."""

    error_code: Int16
    name: String | None = on(nullable="12+")
    topic_id: Uuid = on("10+", default=NO_UUID)
    is_internal: Bool = on("1+", default=False)
    partitions: Array[MetadataResponsePartition]
    topic_authorized_operations: Int32 = on("8+", default=-(2**31))


@struct
class MetadataResponsePartition:
    """Leader and replicas of one partition."""

    error_code: Int16
    partition_index: Int32
    leader_id: Int32
    leader_epoch: Int32 = on("7+", default=-1)
    replica_nodes: Array[Int32]
    isr_nodes: Array[Int32]
    offline_replicas: Array[Int32] = on("5+", factory=list)
