"""DescribeQuorum (key 55): who leads the metadata quorum, and how far the others are (KIP-595).

Versions: 1 times of the replicas' fetches (KIP-836) · 2 directories, endpoints, messages (KIP-853)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Int16,
    Int32,
    Int64,
    String,
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(key=55, versions="0-2", flexible="0+")
class DescribeQuorumRequest:
    """Describe these partitions."""

    topics: Array[DescribeQuorumRequestTopic]


@struct
class DescribeQuorumRequestTopic:
    """Partitions of one topic; there is one only, of the metadata."""

    topic_name: String
    partitions: Array[DescribeQuorumRequestPartition]


@struct
class DescribeQuorumRequestPartition:
    """One partition."""

    partition_index: Int32


@message(key=55, versions="0-2", flexible="0+")
class DescribeQuorumResponse:
    """The quorum."""

    error_code: Int16
    error_message: String | None = on("2+", default=None)
    topics: Array[DescribeQuorumResponseTopic]
    nodes: Array[Node] = on("2+", factory=list)


@struct
class DescribeQuorumResponseTopic:
    """Partitions of one topic."""

    topic_name: String
    partitions: Array[DescribeQuorumResponsePartition]


@struct
class DescribeQuorumResponsePartition:
    """Leader, voters and observers, or why they are not known."""

    partition_index: Int32
    error_code: Int16
    error_message: String | None = on("2+", default=None)
    leader_id: Int32
    leader_epoch: Int32
    high_watermark: Int64
    current_voters: Array[ReplicaState]
    observers: Array[ReplicaState]


@struct
class ReplicaState:
    """How far one replica is; times in milliseconds since 1970, -1 if not known."""

    replica_id: Int32
    replica_directory_id: Uuid = on("2+", default=NO_UUID)
    log_end_offset: Int64
    last_fetch_timestamp: Int64 = on("1+", default=-1)
    last_caught_up_timestamp: Int64 = on("1+", default=-1)


@struct
class Node:
    """Where to reach a voter."""

    node_id: Int32
    listeners: Array[Listener]


@struct
class Listener:
    """One endpoint."""

    name: String
    host: String
    port: Uint16
