"""BeginQuorumEpoch (key 53): the new leader of the metadata quorum says so (KIP-595).

Versions: 1 flexible, directories of the voters, endpoints (KIP-853)
"""

from __future__ import annotations

from barnabas.wire.schema import (
    NO_UUID,
    Array,
    Int16,
    Int32,
    String,
    Uint16,
    Uuid,
    message,
    on,
    struct,
)


@message(key=53, versions="0-1", flexible="1+")
class BeginQuorumEpochRequest:
    """I lead."""

    cluster_id: String | None = on(default=None)
    voter_id: Int32 = on("1+", default=-1)
    topics: Array[BeginQuorumEpochRequestTopic]
    leader_endpoints: Array[LeaderEndpoint] = on("1+", factory=list)


@struct
class BeginQuorumEpochRequestTopic:
    """Partitions of one topic; there is one only, of the metadata."""

    topic_name: String
    partitions: Array[BeginQuorumEpochRequestPartition]


@struct
class BeginQuorumEpochRequestPartition:
    """The leader of an epoch."""

    partition_index: Int32
    voter_directory_id: Uuid = on("1+", default=NO_UUID)
    leader_id: Int32
    leader_epoch: Int32


@struct
class LeaderEndpoint:
    """Where to reach the leader."""

    name: String
    host: String
    port: Uint16


@message(key=53, versions="0-1", flexible="1+")
class BeginQuorumEpochResponse:
    """Whether that is so."""

    error_code: Int16
    topics: Array[BeginQuorumEpochResponseTopic]
    node_endpoints: Array[NodeEndpoint] = on("1+", factory=list, tag=0)


@struct
class BeginQuorumEpochResponseTopic:
    """Partitions of one topic."""

    topic_name: String
    partitions: Array[BeginQuorumEpochResponsePartition]


@struct
class BeginQuorumEpochResponsePartition:
    """The leader that the voter knows."""

    partition_index: Int32
    error_code: Int16
    leader_id: Int32
    leader_epoch: Int32


@struct
class NodeEndpoint:
    """Where to reach a controller that is named."""

    node_id: Int32
    host: String
    port: Uint16
